public import Glibc

/// A value that one thread at a time uses. Threads may wait for it to change. Async code that must wait uses an
/// `AsyncReadWriteLock`.
///
/// It is a mutex and a condition variable of pthreads: `Synchronization.Mutex` has no condition variable, and the thread
/// sanitizer does not know it. `@unchecked Sendable` is right because the value is used only while the mutex is held.
/// The mutex and the condition variable have fixed addresses, as pthreads requires.
@usableFromInline
package final class Monitor<Value>: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline var value: Value

  /// - Parameter value: belongs to the monitor from now on.
  package init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    // For `wait(until:)`: setting the date must not change how long it waits.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` while no other thread uses the value. `body` must not use the monitor again. Inlined, because a generic
  /// call of another module takes hundreds of instructions.
  @inlinable
  package func withLock<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs `body` with the value until it returns a result. Blocks between two runs until another thread notifies.
  package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// As `wait(for:)`, but returns nil if there is no result by `deadline`, in monotonic milliseconds.
  @discardableResult
  package func wait<Result>(until deadline: Int64, for body: (inout Value) -> Result?) -> Result? {
    var time = timespec(tv_sec: Int(deadline / 1000), tv_nsec: Int(deadline % 1000) * 1_000_000)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { return body(&value) }
    }
  }

  /// Wakes one of the threads that wait.
  package func notifyOne() {
    pthread_cond_signal(changed)
  }

  /// Wakes all threads that wait.
  package func notifyAll() {
    pthread_cond_broadcast(changed)
  }
}
