/// A value that belongs to one event loop: it may be carried anywhere and touched only on the loop's thread.
///
/// `@unchecked Sendable` is right because every access passes `value`, which stops the program
/// when the calling thread is not the loop's: two threads can never touch the value at the same time.
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
    precondition(loop.isCurrent, "a loop-bound value is touched on its loop only")
    return bound
  }
}
