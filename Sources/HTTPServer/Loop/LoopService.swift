import Platform

/// A source of events that an event loop waits for and handles in addition to its clients' sockets, such as a pool of
/// connections to a database.
///
/// It belongs to one loop: its functions are called on the loop's thread only, which is also where it was made.
public struct LoopService {
  /// The token of its events. No connection has it, and neither does the listener.
  static let token = UInt64.max - 1

  /// Stays the service's own. An epoll instance may stand for several descriptors.
  let descriptor: Int32
  private let process: () -> Void
  private let deadline: () -> Int64?
  let endOfTurn: () -> Void
  let close: () -> Void

  /// - Parameters:
  ///   - descriptor: watched for reading, level-triggered.
  ///   - process: called when the descriptor is readable, and at the deadline. It must not block. The tasks that it
  ///     resumes run in the same turn of the loop, if their executor is the loop.
  ///   - deadline: when to call `process` at the latest, in monotonic milliseconds; nil if the descriptor is enough.
  ///   - endOfTurn: called after the tasks of each turn, which may have asked the service for something.
  ///   - close: called once, when the server stops, after the last connection has been closed.
  public init(
    descriptor: Int32, process: @escaping () -> Void, deadline: @escaping () -> Int64?,
    endOfTurn: @escaping () -> Void = {}, close: @escaping () -> Void
  ) {
    self.descriptor = descriptor
    self.process = process
    self.deadline = deadline
    self.endOfTurn = endOfTurn
    self.close = close
  }

  /// Lets the service do what there is to do.
  ///
  /// - Parameters:
  ///   - events: those of the loop's current turn.
  ///   - now: monotonic milliseconds.
  func turn(_ events: [Poller.Event], now: Int64) {
    let isReadable = events.contains { $0.token == Self.token }
    if isReadable || deadline().map({ $0 <= now }) == true { process() }
  }

  /// How long the loop may wait, in milliseconds; -1 for ever.
  ///
  /// - Parameter other: how long it might wait without this service.
  func timeout(atMost other: Int32) -> Int32 {
    guard let deadline = deadline() else { return other }
    let now = monotonicMilliseconds()
    let left = Int32(clamping: max(deadline, now) - now)
    return other < 0 ? left : min(left, other)
  }
}
