import Glibc

/// A value that one thread at a time touches, and that threads may wait for to change.
///
/// A mutex and a condition of pthreads: `Synchronization.Mutex` has no condition, and the thread
/// sanitizer does not know it. `@unchecked Sendable` is right because the value is touched with the
/// mutex held only; mutex and condition live at fixed addresses, as pthreads wants.
public final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// - Parameter value: belongs to the monitor from now on.
  public init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the value, alone. It must not come back to the monitor.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs `body` with the value until it finds what it looks for, and blocks between two looks until
  /// somebody notifies.
  public func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// Lets one of those who wait look again.
  public func notifyOne() {
    pthread_cond_signal(changed)
  }

  /// Lets all who wait look again.
  public func notifyAll() {
    pthread_cond_broadcast(changed)
  }
}
