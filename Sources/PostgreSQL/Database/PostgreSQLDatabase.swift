import Cryptography
import Platform
import SQL

/// A database on a PostgreSQL server. Each event loop that asks for one has a pool of connections that read. Writes, and
/// the reads of other threads, have connections that block threads of their own.
package final class PostgreSQLDatabase: SharedDatabase {
  /// Of whichever database has made it.
  private static let poolOfThread = ThreadLocal<ConnectionPool>()

  private let url: DatabaseURL
  private let limits: PoolLimits
  private let clock: @Sendable () -> Int64
  private let random: RandomSource
  /// Connecting blocks. More threads would not connect sooner, unless a host does not respond at all.
  private let connecting = WorkerPool(name: "database-connect", threads: 2, waiting: 1000)
  private let statisticsOfPools = Monitor<[Monitor<SharedDatabaseStatistics>]>([])
  private let blocking: BlockingPool

  /// - Parameters:
  ///   - limits: of the pool of each event loop.
  ///   - clock: monotonic milliseconds.
  init(
    _ url: DatabaseURL, limits: PoolLimits, blocking: BlockingLimits = BlockingLimits(),
    clock: @escaping @Sendable () -> Int64, random: RandomSource = .system
  ) {
    self.url = url.marked(by: random)
    self.limits = limits
    self.clock = clock
    self.random = random
    self.blocking = BlockingPool(self.url, limits: blocking, clock: clock, random: random)
  }

  package convenience init(_ url: DatabaseURL, clock: @escaping @Sendable () -> Int64) {
    self.init(url, limits: PoolLimits(), clock: clock)
  }

  /// Makes the pool of the calling thread, which serves what is asked on this thread from now on.
  package func makeLoopService() throws -> any LoopService {
    let pool = ConnectionPool(
      url, limits: limits, of: ObjectIdentifier(self), sockets: try SocketSet(), connecting: connecting, clock: clock,
      random: random)
    statisticsOfPools.withLock { [statistics = pool.statistics] in $0.append(statistics) }
    Self.poolOfThread.value = pool
    return pool
  }

  /// How many connections a process with so many event loops takes.
  package static func connectionCount(loops: Int) -> Int {
    loops * PoolLimits().maxConnections + BlockingLimits().maxConnections
  }

  package func read(_ query: Query) async throws -> Rows {
    if let pool = Self.poolOfThread.value, pool.owner == ObjectIdentifier(self) { return try await pool.read(query) }
    return try await blocking.read(query)
  }

  package func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await blocking.write(locking: locks, body)
  }

  package func prune() async throws {
    let removal = CommitID.removal(now: unixMilliseconds())
    while try await write(locking: [], { try $0.run(removal) }) > 0 {}
  }

  package var statistics: SharedDatabaseStatistics {
    statisticsOfPools.withLock { $0 }.reduce(blocking.statistics) { sum, pool in sum + pool.withLock { $0 } }
  }

  package func close() {
    blocking.close()
    connecting.shutDown()
  }
}
