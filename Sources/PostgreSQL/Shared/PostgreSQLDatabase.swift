import Cryptography
import Platform
import SQL

/// A database on a PostgreSQL server. Each event loop that asks for one has a pool of connections that read, and there is
/// one for all other threads. Writes have connections of their own.
public final class PostgreSQLDatabase: SharedDatabase {
  /// What the pools of its threads are made of.
  struct Options: Sendable {
    let url: DatabaseURL
    let lookUps: WorkerPool
    let clock: @Sendable () -> Int64
    let random: RandomSource
  }

  private let options: Options
  private let limits: PoolLimits
  private let pools = ThreadPools()
  private let thread: DatabaseThread
  private let writer: Writer

  /// Begins to connect, on a thread of its own.
  ///
  /// - Parameters:
  ///   - limits: of the pool of each event loop. The one for other threads has one connection.
  ///   - lookUps: the threads that look up the addresses of hosts.
  ///   - clock: monotonic milliseconds.
  public init(
    _ url: DatabaseURL, limits: PoolLimits = PoolLimits(), writes: WriteLimits = WriteLimits(),
    lookUps: WorkerPool, clock: @escaping @Sendable () -> Int64, random: RandomSource = .system
  ) throws {
    let url = url.marked(by: random)
    options = Options(url: url, lookUps: lookUps, clock: clock, random: random)
    self.limits = limits
    writer = Writer(url, limits: writes, clock: clock, random: random)
    var limitsOfThread = limits
    limitsOfThread.maxConnections = 1
    thread = try DatabaseThread(options, limits: limitsOfThread, counters: pools.makeCounters())
  }

  /// Makes the pool of the calling thread, which serves what is asked on this thread from now on. The thread looks
  /// after it, and closes it.
  public func makePool() throws(SystemError) -> ConnectionPool {
    let pool = ConnectionPool(
      options.url, limits: limits, sockets: try SocketSet(), lookUps: options.lookUps,
      counters: pools.makeCounters(), clock: options.clock, random: options.random)
    pools.setPoolOfThread(pool)
    return pool
  }

  /// How many connections a process with so many event loops takes.
  public static func connectionCount(
    loops: Int, limits: PoolLimits = PoolLimits(), writes: WriteLimits = WriteLimits()
  ) -> Int {
    loops * limits.maxConnections + 1 + writes.maxConnections
  }

  public func read(_ queries: [Query]) async throws -> [Rows] {
    if let pool = pools.poolOfThread { return try await pool.read(queries) }
    return try await thread.read(queries)
  }

  public func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await writer.write(locking: locks, body)
  }

  public func prune() async throws {
    let removal = CommitID.removal(now: unixMilliseconds())
    while try await write(locking: [], { try $0.run(removal) }) > 0 {}
  }

  public var statistics: SharedDatabaseStatistics {
    var statistics = pools.statistics
    writer.add(to: &statistics)
    return statistics
  }

  public func close() {
    writer.close()
    thread.close()
  }
}
