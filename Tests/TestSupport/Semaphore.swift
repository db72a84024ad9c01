import Platform

/// A counting semaphore that blocks threads. Never wait for one on a thread that runs tasks.
public final class Semaphore: Sendable {
  private let count = Monitor(0)

  public init() {}

  /// Lets one caller pass.
  public func signal() {
    count.withLock { $0 += 1 }
    count.notifyOne()
  }

  /// Waits to pass.
  public func wait() {
    count.wait { count -> Void? in
      guard count > 0 else { return nil }
      count -= 1
      return ()
    }
  }
}
