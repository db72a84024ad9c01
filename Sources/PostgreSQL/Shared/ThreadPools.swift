import Platform
import SQL

/// The pools of a database, each of which belongs to a thread.
final class ThreadPools: Sendable {
  private final class PoolOfThread {
    let owner: ObjectIdentifier
    let pool: ConnectionPool

    init(owner: ObjectIdentifier, pool: ConnectionPool) {
      self.owner = owner
      self.pool = pool
    }
  }

  private static let current = ThreadLocal<PoolOfThread>()

  private let counters = Monitor<[PoolCounters]>([])

  /// The calling thread's pool of this database; nil if it has none.
  var poolOfThread: ConnectionPool? {
    guard let current = Self.current.value, current.owner == ObjectIdentifier(self) else { return nil }
    return current.pool
  }

  func setPoolOfThread(_ pool: ConnectionPool) {
    Self.current.value = PoolOfThread(owner: ObjectIdentifier(self), pool: pool)
  }

  /// The counters of one more pool.
  func makeCounters() -> PoolCounters {
    let new = PoolCounters()
    counters.withLock { $0.append(new) }
    return new
  }

  /// What all pools have counted.
  var statistics: SharedDatabaseStatistics {
    var sum = SharedDatabaseStatistics()
    for pool in counters.withLock({ $0 }) { pool.add(to: &sum) }
    return sum
  }
}
