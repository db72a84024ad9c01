import Cryptography
import Glibc
import Platform
import SQL

/// Worker threads, each with a connection of its own: for transactions that write, and for what threads read that have no
/// pool.
final class BlockingPool: Sendable {
  /// How often a transaction is run that the server undoes, as after a deadlock, or whose connection is lost.
  private static let maxRuns = 5

  /// For the threads of `workers` only, which no other pool has.
  private static let connection = ThreadLocal<BlockingConnection>()

  private let url: DatabaseURL
  private let limits: BlockingLimits
  private let clock: @Sendable () -> Int64
  private let random: RandomSource
  private let workers: WorkerPool
  private let counts = Monitor(SharedDatabaseStatistics())

  /// - Parameter clock: monotonic milliseconds.
  init(_ url: DatabaseURL, limits: BlockingLimits, clock: @escaping @Sendable () -> Int64, random: RandomSource) {
    self.url = url
    self.limits = limits
    self.clock = clock
    self.random = random
    workers = WorkerPool(name: "database", threads: limits.maxConnections, waiting: limits.maxWaiting)
  }

  /// Runs `body` in a transaction, and returns once that is committed.
  func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await onWorker { pool in try pool.write(locking: locks, body) }
  }

  /// The rows of a query that changes nothing.
  func read(_ query: Query) async throws -> Rows {
    try await onWorker { pool in
      try pool.retrying {
        let connection = try pool.connected()
        defer { if connection.isLost { pool.disconnect() } }
        return try connection.rows(query)
      }
    }
  }

  private func onWorker<Result: Sendable>(
    _ work: @escaping @Sendable (BlockingPool) throws -> Result
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

  func close() { workers.shutDown() }

  var statistics: SharedDatabaseStatistics {
    var statistics = counts.withLock { $0 }
    (statistics.inFlight, statistics.waiting) = (workers.statistics.busy, workers.statistics.waiting)
    return statistics
  }

  // MARK: - On a worker's thread

  private func write<Result>(locking locks: [Query], _ body: (any Transaction) throws -> Result) throws -> Result {
    try retrying {
      let id = CommitID(time: unixMilliseconds(), random: random)
      let (result, loss) = try run(locks, body, as: id)
      // Now that the connection is closed, the server notices its end soon.
      return try loss.map { try wasCommitted(id, after: $0) } ?? true ? result : nil
    }
  }

  /// Runs `body` again if it returns nil, or after an error that may be gone.
  private func retrying<Result>(_ body: () throws -> Result?) throws -> Result {
    for run in 1...Self.maxRuns {
      let isNew = Self.connection.value == nil
      do {
        if let result = try body() { return result }
      } catch let error as SharedDatabaseError {
        // An old connection may have broken long ago.
        let mayPass = ServerError.mayBeRepeated(error) || error.kind == .away && !isNew
        guard mayPass, run < Self.maxRuns else { throw error }
      }
    }
    throw SharedDatabaseError(.away, "each commit was lost")
  }

  /// Runs the transaction once.
  ///
  /// - Returns: the result of `body`, and why it is not known whether the transaction was committed; nil if it was.
  private func run<Result>(
    _ locks: [Query], _ body: (any Transaction) throws -> Result, as id: CommitID
  ) throws -> (Result, loss: SharedDatabaseError?) {
    let connection = try connected()
    let result: Result
    do {
      try connection.execute(id.beginning)
      for lock in locks { _ = try connection.rows(lock) }
      result = try body(connection)
    } catch {
      undo(on: connection)
      // Such as a standby: the next connection may be to a server that writes.
      if (error as? SharedDatabaseError)?.kind == .away, !connection.isLost { disconnect() }
      throw error
    }
    do {
      try connection.commit()
      return (result, nil)
    } catch {
      guard connection.isLost else { throw error }
      counts.withLock { $0.lostOutcomes += 1 }
      disconnect()
      return (result, error)
    }
  }

  /// Rolls back. A connection on which that fails is of no more use.
  private func undo(on connection: BlockingConnection) {
    if !connection.isLost { try? connection.execute("ROLLBACK") }
    if connection.isLost { disconnect() }
  }

  private func wasCommitted(_ id: CommitID, after loss: SharedDatabaseError) throws -> Bool {
    let deadline = clock() &+ limits.maxSettlingTime
    while true {
      do {
        return try connected().number(id.settling) == 0
      } catch let error as SharedDatabaseError {
        if Self.connection.value?.isLost == true { disconnect() }
        guard clock() < deadline, [.away, .conflict, .timeout].contains(error.kind) else {
          counts.withLock { $0.unknownOutcomes += 1 }
          throw SharedDatabaseError(.outcomeUnknown, "\(loss.message), and it cannot be asked about: \(error.message)")
        }
        // The thread has nothing else to do.
        usleep(100_000)
      }
    }
  }

  /// The connection of this thread.
  private func connected() throws(SharedDatabaseError) -> BlockingConnection {
    if let connection = Self.connection.value { return connection }
    do {
      let client = try ClientConnection(url, name: url.newConnectionName(random))
      let connection = BlockingConnection(client, responseTimeout: limits.responseTimeout)
      Self.connection.value = connection
      counts.withLock { counts in
        counts.connections += 1
        counts.readyConnections += 1
      }
      return connection
    } catch {
      counts.withLock { $0.failedConnections += 1 }
      throw error
    }
  }

  private func disconnect() {
    Self.connection.value = nil
    counts.withLock { counts in
      counts.connections -= 1
      counts.readyConnections -= 1
      counts.failedConnections += 1
    }
  }
}

/// The limits of a ``BlockingPool``. Times are in milliseconds.
struct BlockingLimits: Sendable {
  /// Each is a process of the server, and a thread of this one that waits for it.
  var maxConnections = 8
  /// How many may wait for one. Further ones fail at once.
  var maxWaiting = 1000
  /// How long one may wait for it.
  var maxWait: Int64 = 5000
  /// How long the server may be silent while it owes a response: longer than its own timeout of statements.
  var responseTimeout: Int32 = 10_000
  /// How long it may take to find out whether a transaction was committed whose connection was lost.
  var maxSettlingTime: Int64 = 5000

}
