import Cryptography
import Platform
import SQL

/// A database on a PostgreSQL server. Each event loop that asks for one has a pool of connections that read. Writes, and
/// the reads of other threads, have connections that block threads of their own.
package final class PostgreSQLDatabase: SharedDatabase {
  /// Of whichever database has made it.
  private static let poolOfThread = ThreadLocal<ConnectionPool>()

  /// For the threads of `workers` only, which no other database has.
  static let workerConnection = ThreadLocal<BlockingConnection>()

  let url: DatabaseURL
  let limits: PoolLimits
  let clock: @Sendable () -> Int64
  let random: RandomSource
  /// Each has a connection of its own: for transactions that write, and for what threads read that have no pool.
  private let workers: WorkerPool
  let countsOfWorkers = Monitor(SharedDatabaseStatistics())
  /// Connecting blocks. More threads would not connect sooner, unless a host does not respond at all.
  private let connecting = WorkerPool(name: "database-connect", threads: 2, waiting: 1000)
  private let statisticsOfPools = Monitor<[Monitor<SharedDatabaseStatistics>]>([])

  /// - Parameter clock: monotonic milliseconds.
  init(_ url: DatabaseURL, limits: PoolLimits, clock: @escaping @Sendable () -> Int64, random: RandomSource = .system) {
    self.url = url.marked(by: random)
    self.limits = limits
    self.clock = clock
    self.random = random
    workers = WorkerPool(name: "database", threads: limits.maxBlocking, waiting: limits.maxWaiting)
  }

  package convenience init(_ url: DatabaseURL, clock: @escaping @Sendable () -> Int64) {
    self.init(url, limits: PoolLimits(), clock: clock)
  }

  /// Makes the pool of the calling thread, which serves what is asked on this thread from now on.
  package func makeLoopService() throws -> any LoopService {
    let pool = ConnectionPool(
      url, limits: limits, of: ObjectIdentifier(self), sockets: try Poller(), connecting: connecting, clock: clock,
      random: random)
    statisticsOfPools.withLock { [statistics = pool.statistics] in $0.append(statistics) }
    Self.poolOfThread.value = pool
    return pool
  }

  /// How many connections a process with so many event loops takes.
  package static func connectionCount(loops: Int) -> Int {
    loops * PoolLimits().maxConnections + PoolLimits().maxBlocking
  }

  package func read(_ query: Query) async throws -> Rows {
    if let pool = Self.poolOfThread.value, pool.owner == ObjectIdentifier(self) { return try await pool.read(query) }
    return try await onWorker { try $0.readBlocking(query) }
  }

  package func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await onWorker { try $0.writeBlocking(locking: locks, body) }
  }

  private func onWorker<Result: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLDatabase) throws -> Result
  ) async throws -> Result {
    let deadline = clock() &+ limits.maxWait
    do {
      return try await workers.run { [self] in
        guard clock() < deadline else { throw SharedDatabaseError(.away, "no connection was free in time") }
        return try work(self)
      }
    } catch is QueueFull {
      throw SharedDatabaseError(.away, "too many queries wait for a connection")
    }
  }

  package func prune() async throws {
    let removal = CommitID.removal(now: unixMilliseconds())
    while try await write(locking: [], { try $0.run(removal) }) > 0 {}
  }

  package var statistics: SharedDatabaseStatistics {
    var sum = countsOfWorkers.withLock { $0 }
    // A thread that connects is at work, and has no connection yet.
    sum.connections = sum.readyConnections
    (sum.inFlight, sum.waiting) = (workers.statistics.busy, workers.statistics.waiting)
    for pool in statisticsOfPools.withLock({ $0 }).map({ pool in pool.withLock { $0 } }) {
      sum.connections += pool.connections
      sum.readyConnections += pool.readyConnections
      sum.inFlight += pool.inFlight
      sum.waiting += pool.waiting
      sum.failedConnections += pool.failedConnections
    }
    return sum
  }

  package func close() {
    workers.shutDown()
    connecting.shutDown()
  }
}
