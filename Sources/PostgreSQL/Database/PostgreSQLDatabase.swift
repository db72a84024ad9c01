import Cryptography
package import Platform
package import SQL

/// A database on a PostgreSQL server. Each query blocks a thread, which has a connection of its own.
/// PostgreSQLDatabase+Blocking.swift has the part that runs on these threads.
package final class PostgreSQLDatabase: SharedDatabase {
  /// For the threads of `readers` and `writers` only, which no other database has.
  static let workerConnection = ThreadLocal<BlockingConnection>()

  let url: DatabaseURL
  let limits: PoolLimits
  let clock: @Sendable () -> Int64
  let random: RandomSource
  let readers: WorkerPool
  let waiting = Monitor(WaitingReads())
  /// Apart from `readers`, since writes wait for each other's locks.
  private let writers: WorkerPool
  let counts = Monitor(SharedDatabaseStatistics())

  /// - Parameter clock: monotonic milliseconds.
  init(_ url: DatabaseURL, limits: PoolLimits, clock: @escaping @Sendable () -> Int64, random: RandomSource = .system) {
    self.url = url.marked(by: random)
    self.limits = limits
    self.clock = clock
    self.random = random
    readers = WorkerPool(name: "database-read", threads: limits.readers, waiting: limits.readers)
    writers = WorkerPool(name: "database-write", threads: limits.writers, waiting: limits.maxWaiting)
  }

  package convenience init(_ url: DatabaseURL, clock: @escaping @Sendable () -> Int64) {
    self.init(url, limits: PoolLimits(), clock: clock)
  }

  /// How many connections a process takes.
  package static var maxConnections: Int { PoolLimits().readers + PoolLimits().writers }

  package func write<Result: Sendable>(
    locking locks: [Query], flow: Flow, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    let deadline = clock() &+ limits.maxWait
    do {
      return try await writers.run(flow: flow) { [self] in
        guard clock() < deadline else { throw Self.tooLate }
        return try writeBlocking(locking: locks, body)
      }
    } catch is QueueFull {
      throw Self.tooManyWait
    }
  }

  package func prune() async throws {
    let removal = CommitID.removal(now: unixMilliseconds())
    while try await write(locking: [], { try $0.run(removal) }) > 0 {}
  }

  package var statistics: SharedDatabaseStatistics {
    var statistics = counts.withLock { $0 }
    statistics.inFlight = readers.statistics.busy + writers.statistics.busy
    statistics.waiting = waiting.withLock(\.count) + writers.statistics.waiting
    return statistics
  }

  package func close() {
    readers.shutDown()
    writers.shutDown()
  }
}
