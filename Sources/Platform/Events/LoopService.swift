/// A source of events that an event loop waits for and handles in addition to its clients' sockets, such as a pool of
/// connections to a database.
///
/// It belongs to one loop: its functions are called on the loop's thread only, which is also where it was made.
public protocol LoopService: AnyObject {
  /// Is watched for reading, level-triggered, and stays the service's own. An epoll instance may stand for several
  /// descriptors.
  var descriptor: Int32 { get }

  /// When to call `process` at the latest, in monotonic milliseconds; nil if the descriptor is enough.
  func deadline() -> Int64?

  /// Called when the descriptor is readable, and at the deadline. It must not block. The tasks that it resumes run in
  /// the same turn of the loop, if their executor is the loop.
  func process()

  /// Called after the tasks of each turn, which may have asked the service for something.
  func endOfTurn()

  /// Called once, when the server stops, after the last connection has been closed.
  func close()
}
