import Cryptography
import Glibc
import Platform
import SQL
import Synchronization

/// Runs the transactions that write, each on a worker thread that has a connection of its own.
final class Writer: Sendable {
  /// How often a transaction is run that the server undoes, as after a deadlock, or whose connection is lost.
  private static let maxRuns = 5

  /// For the threads of `workers` only, which no other writer has.
  private static let connection = ThreadLocal<BlockingConnection>()

  private let url: DatabaseURL
  private let limits: WriteLimits
  private let clock: @Sendable () -> Int64
  private let random: RandomSource
  private let workers: WorkerPool
  private let connections = Atomic(0)
  private let failedConnections = Atomic(0)
  private let lostCommits = Atomic(0)
  private let unknownOutcomes = Atomic(0)

  /// - Parameter clock: monotonic milliseconds.
  init(_ url: DatabaseURL, limits: WriteLimits, clock: @escaping @Sendable () -> Int64, random: RandomSource) {
    self.url = url
    self.limits = limits
    self.clock = clock
    self.random = random
    workers = WorkerPool(name: "database-writes", threads: limits.maxConnections, waiting: limits.maxWaiting)
  }

  /// Runs `body` in a transaction, and returns once that is committed.
  func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    let deadline = clock() &+ limits.maxWait
    do {
      return try await workers.run { [self] in
        guard clock() < deadline else { throw SharedDatabaseError(.away, "no connection was free in time") }
        return try write(locking: locks, body)
      }
    } catch is QueueFull {
      throw SharedDatabaseError(.away, "too many writes wait for a connection")
    }
  }

  func close() { workers.shutDown() }

  var statistics: SharedDatabaseStatistics {
    let (pool, count) = (workers.statistics, connections.load(ordering: .relaxed))
    return SharedDatabaseStatistics(
      connections: count, readyConnections: count, inFlight: pool.busy, waiting: pool.waiting,
      failedConnections: failedConnections.load(ordering: .relaxed), lostOutcomes: lostCommits.load(ordering: .relaxed),
      unknownOutcomes: unknownOutcomes.load(ordering: .relaxed))
  }

  // MARK: - On a worker's thread

  private func write<Result>(locking locks: [Query], _ body: (any Transaction) throws -> Result) throws -> Result {
    var runs = 0
    while true {
      runs += 1
      let isNew = Self.connection.value == nil
      let id = CommitID(time: unixMilliseconds(), random: random)
      do {
        let (result, loss) = try run(locks, body, as: id)
        // Now that the connection is closed, the server notices its end soon.
        if try loss.map({ try wasCommitted(id, after: $0) }) ?? true { return result }
      } catch let error as SharedDatabaseError {
        // An old connection may have broken long ago.
        let mayPass = ServerError.mayBeRepeated(error) || error.kind == .away && !isNew
        guard mayPass, runs < Self.maxRuns else { throw error }
      }
      guard runs < Self.maxRuns else { throw SharedDatabaseError(.away, "each commit was lost") }
    }
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
      lostCommits.add(1, ordering: .relaxed)
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
          unknownOutcomes.add(1, ordering: .relaxed)
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
      connections.add(1, ordering: .relaxed)
      return connection
    } catch {
      failedConnections.add(1, ordering: .relaxed)
      throw error
    }
  }

  private func disconnect() {
    Self.connection.value = nil
    connections.subtract(1, ordering: .relaxed)
    failedConnections.add(1, ordering: .relaxed)
  }
}

/// The limits of writes. Times are in milliseconds.
struct WriteLimits: Sendable {
  /// Each is a process of the server, and a thread of this one that waits for it.
  var maxConnections = 8
  /// How many writes may wait for one. Further ones fail at once.
  var maxWaiting = 1000
  /// How long a write may wait for one.
  var maxWait: Int64 = 5000
  /// How long the server may be silent while it owes a response: longer than its own timeout of statements.
  var responseTimeout: Int32 = 10_000
  /// How long it may take to find out whether a transaction was committed whose connection was lost.
  var maxSettlingTime: Int64 = 5000

}
