import Cryptography
import Platform
import SQL

/// A database on a PostgreSQL server. Each event loop that asks for one has a pool of connections that read, and there is
/// one for all other threads. Writes have connections of their own.
package final class PostgreSQLDatabase: SharedDatabase {
  /// Of whichever database has made it.
  private static let poolOfThread = ThreadLocal<ConnectionPool>()

  /// Makes pools.
  private struct Pools: Sendable {
    let url: DatabaseURL
    let limits: PoolLimits
    let clock: @Sendable () -> Int64
    let random: RandomSource
    /// Connecting blocks. More threads would not connect sooner, unless a host does not respond at all.
    let connecting = WorkerPool(name: "database-connect", threads: 2, waiting: 1000)
    let statistics = Monitor<[Monitor<SharedDatabaseStatistics>]>([])

    func make(connections: Int, of owner: ObjectIdentifier? = nil, sockets: SocketSet) -> ConnectionPool {
      var limits = limits
      limits.maxConnections = connections
      let pool = ConnectionPool(
        url, limits: limits, of: owner, sockets: sockets, connecting: connecting, clock: clock, random: random)
      statistics.withLock { [statistics = pool.statistics] in $0.append(statistics) }
      return pool
    }
  }

  private let pools: Pools
  private let thread: DatabaseThread
  private let writer: Writer

  /// Begins to connect, on a thread of its own.
  ///
  /// - Parameters:
  ///   - limits: of the pool of each event loop. The one for other threads has one connection.
  ///   - clock: monotonic milliseconds.
  init(
    _ url: DatabaseURL, limits: PoolLimits, writes: WriteLimits = WriteLimits(),
    clock: @escaping @Sendable () -> Int64, random: RandomSource = .system
  ) throws {
    let pools = Pools(url: url.marked(by: random), limits: limits, clock: clock, random: random)
    self.pools = pools
    writer = Writer(pools.url, limits: writes, clock: clock, random: random)
    let sockets = try SocketSet()
    thread = try DatabaseThread(sockets: sockets, clock: clock) { pools.make(connections: 1, sockets: sockets) }
  }

  package convenience init(_ url: DatabaseURL, clock: @escaping @Sendable () -> Int64) throws {
    try self.init(url, limits: PoolLimits(), clock: clock)
  }

  /// Makes the pool of the calling thread, which serves what is asked on this thread from now on.
  package func makeLoopService() throws -> any LoopService {
    let pool = pools.make(
      connections: pools.limits.maxConnections, of: ObjectIdentifier(self), sockets: try SocketSet())
    Self.poolOfThread.value = pool
    return pool
  }

  /// How many connections a process with so many event loops takes.
  package static func connectionCount(loops: Int) -> Int {
    loops * PoolLimits().maxConnections + 1 + WriteLimits().maxConnections
  }

  package func read(_ query: Query) async throws -> Rows {
    if let pool = Self.poolOfThread.value, pool.owner == ObjectIdentifier(self) { return try await pool.read(query) }
    return try await thread.read(query)
  }

  package func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await writer.write(locking: locks, body)
  }

  package func prune() async throws {
    let removal = CommitID.removal(now: unixMilliseconds())
    while try await write(locking: [], { try $0.run(removal) }) > 0 {}
  }

  package var statistics: SharedDatabaseStatistics {
    pools.statistics.withLock { $0 }.reduce(writer.statistics) { sum, pool in sum + pool.withLock { $0 } }
  }

  package func close() {
    writer.close()
    thread.close()
    pools.connecting.shutDown()
  }
}
