/// A value that belongs to one event loop: any thread may hold it, but only the loop's may use it. A value that several
/// threads use is in a `Monitor` in Platform.
///
/// `@unchecked Sendable` is right because the only access is `value`, which stops the program if the calling thread is
/// not the loop's. Two threads can never use the value at the same time.
struct LoopBound<Value>: @unchecked Sendable {
  private let bound: Value
  let loop: EventLoop

  /// - Precondition: called on the loop's thread.
  init(_ value: Value, loop: EventLoop) {
    precondition(loop.isCurrent, "a loop-bound value is made on its loop")
    bound = value
    self.loop = loop
  }

  /// - Precondition: called on the loop's thread.
  var value: Value {
    precondition(loop.isCurrent, "a loop-bound value is used on its loop only")
    return bound
  }
}
