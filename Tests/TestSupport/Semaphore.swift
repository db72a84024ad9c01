import Platform

/// A counting semaphore that blocks threads. Never wait for one on a thread that runs tasks.
package final class Semaphore: Sendable {
  private let count = Monitor(0)

  package init() {}

  /// Lets one caller pass.
  package func signal() {
    count.withLock { $0 += 1 }
    count.notifyOne()
  }

  /// Waits to pass.
  package func wait() {
    count.wait { count -> Void? in
      guard count > 0 else { return nil }
      count -= 1
      return ()
    }
  }
}
