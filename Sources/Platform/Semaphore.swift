import Glibc

/// A counting semaphore (sem_overview(7)) between threads.
///
/// `@unchecked Sendable` is right because `sem_post` and `sem_wait` are made for use by any number
/// of threads at once, and the semaphore itself never moves: it is allocated once and freed last.
public final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  /// A semaphore that lets `count` callers pass.
  public init(count: UInt32 = 0) {
    semaphore = .allocate(capacity: 1)
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, count)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one caller pass.
  public func signal() {
    sem_post(semaphore)
  }

  /// Waits to pass.
  public func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}
