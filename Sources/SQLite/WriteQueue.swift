import Glibc

/// Where writes wait for the writer thread, first come, first served, up to a limit.
///
/// `@unchecked Sendable`: what changes is touched with the mutex held only. It is a mutex of pthreads, since the one
/// of `Synchronization` has no condition to wait for. Both live at fixed addresses, as pthreads wants.
final class WriteQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let limit: Int
  private var waiting: [WriteJob] = []
  private var isClosed = false

  init(limit: Int) {
    self.limit = limit
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  var count: Int { locked { waiting.count } }

  /// Nil if `job` will be run; else why not.
  func append(_ job: WriteJob) -> (any Error)? {
    locked {
      if isClosed { return DatabaseClosed() }
      if waiting.count >= limit { return DatabaseBusy() }
      waiting.append(job)
      pthread_cond_signal(changed)
      return nil
    }
  }

  /// Waits until there is a job, and takes the first ones, `maximum` at most; nil once the queue is closed and empty.
  func next(maximum: Int) -> [WriteJob]? {
    locked {
      while waiting.isEmpty {
        if isClosed { return nil }
        pthread_cond_wait(changed, mutex)
      }
      let jobs = Array(waiting.prefix(maximum))
      waiting.removeFirst(jobs.count)
      return jobs
    }
  }

  /// Takes no more jobs. Those that wait will still be run.
  func close() {
    locked {
      isClosed = true
      pthread_cond_signal(changed)
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
