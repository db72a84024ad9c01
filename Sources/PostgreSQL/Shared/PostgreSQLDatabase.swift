import Cryptography
import Platform
import SQL
import Synchronization

/// A database on a PostgreSQL server: a pool of connections for each event loop that asks for one, and one for
/// everybody else.
public final class PostgreSQLDatabase: Sendable {
  /// What the pools of its threads are made of.
  struct Options: Sendable {
    let url: DatabaseURL
    let lookUps: WorkerPool
    let clock: @Sendable () -> Int64
    let random: RandomSource
  }

  private let options: Options
  private let limits: PoolLimits
  private let settling: SettlingLimits?
  private let pools = ThreadPools()
  private let thread: DatabaseThread
  private let lostOutcomes = Atomic(0)
  private let unknownOutcomes = Atomic(0)

  /// Begins to connect, on a thread of its own.
  ///
  /// - Parameters:
  ///   - limits: of the pool of each event loop. The one for everybody else has two connections.
  ///   - settling: how the outcome of a write is found out whose connection was lost; nil if the server does not let
  ///     this user end its own connections.
  ///   - lookUps: the threads that look up the addresses of hosts.
  ///   - clock: monotonic milliseconds.
  public init(
    _ url: DatabaseURL, limits: PoolLimits = PoolLimits(), settling: SettlingLimits? = SettlingLimits(),
    lookUps: WorkerPool, clock: @escaping @Sendable () -> Int64, random: RandomSource = .system
  ) throws {
    options = Options(url: url.marked(by: random), lookUps: lookUps, clock: clock, random: random)
    self.limits = limits
    self.settling = settling
    var limitsOfThread = limits
    limitsOfThread.maxReadConnections = 1
    limitsOfThread.maxWriteConnections = 1
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
  public static func connectionCount(loops: Int, limits: PoolLimits = PoolLimits()) -> Int {
    loops * limits.maxConnections + 2
  }

  /// What stores use.
  public var shared: SharedDatabase {
    SharedDatabase(
      read: { [self] in try await route.read($0) },
      write: { [self] in try await write($0, evidence: $1) },
      statistics: { [self] in statistics },
      close: { [self] in thread.close() })
  }

  /// The way from the calling thread to the database.
  private var route: Route {
    pools.poolOfThread.map { .pool($0) } ?? .thread(thread)
  }

  private func write(_ queries: [Query], evidence: Query?) async throws -> WriteOutcome {
    do {
      return .committed(try await route.write(queries))
    } catch let loss as SharedDatabaseError where loss.kind == .outcomeUnknown {
      lostOutcomes.add(1, ordering: .relaxed)
      do {
        guard let settling else { throw loss }
        let lost = LostWrite(
          queries: queries, evidence: evidence, loss: loss, limits: settling, clock: options.clock,
          random: options.random)
        return try await lost.settle(by: route)
      } catch let error as SharedDatabaseError where error.kind == .outcomeUnknown {
        unknownOutcomes.add(1, ordering: .relaxed)
        throw error
      }
    }
  }

  private var statistics: SharedDatabaseStatistics {
    var statistics = pools.statistics
    statistics.lostOutcomes = lostOutcomes.load(ordering: .relaxed)
    statistics.unknownOutcomes = unknownOutcomes.load(ordering: .relaxed)
    return statistics
  }
}
