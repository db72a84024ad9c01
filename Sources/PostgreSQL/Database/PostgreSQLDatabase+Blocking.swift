import Glibc
import Platform
import SQL

// Reads and transactions on a thread of `readers` or `writers`. PostgreSQLDatabase.swift and WaitingReads.swift wait
// for the thread.
extension PostgreSQLDatabase {
  /// How often a transaction is run that the server undoes, as after a deadlock, or whose connection is lost.
  private static let maxRuns = 5

  /// The rows of queries that change nothing, in one round trip. If one fails, all do.
  func readBlocking(_ queries: [Query]) throws -> [Rows] {
    try retrying {
      let connection = try connected()
      defer { if connection.isLost { disconnect() } }
      return try connection.rows(queries)
    }
  }

  /// Runs `body` in a transaction, and returns once that is committed.
  func writeBlocking<Result>(locking locks: [Query], _ body: (any Transaction) throws -> Result) throws -> Result {
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
      let isNew = Self.workerConnection.value == nil
      do {
        if let result = try body() { return result }
      } catch let error as SharedDatabaseError {
        // An old connection may have broken long ago.
        let mayPass = error.mayBeRepeated || error.kind == .away && !isNew
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
      connection.begin(with: [id.insertion] + locks)
      result = try body(connection)
    } catch {
      // A connection on which that fails is of no more use.
      if !connection.isLost { try? connection.rollBack() }
      // Such as a standby: the next connection may be to a server that writes.
      if connection.isLost || (error as? SharedDatabaseError)?.kind == .away { disconnect() }
      throw error
    }
    do {
      try connection.commit()
      return (result, nil)
    } catch {
      guard connection.isLost else {
        try? connection.rollBack()
        throw error
      }
      counts.withLock { $0.lostOutcomes += 1 }
      disconnect()
      return (result, error)
    }
  }

  private func wasCommitted(_ id: CommitID, after loss: SharedDatabaseError) throws -> Bool {
    let deadline = clock() &+ limits.maxSettlingTime
    while true {
      do {
        return try connected().number(id.settling) == 0
      } catch let error as SharedDatabaseError {
        if Self.workerConnection.value?.isLost == true { disconnect() }
        guard clock() < deadline, error.mayBeRepeated || [.away, .conflict, .timeout].contains(error.kind) else {
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
    if let connection = Self.workerConnection.value { return connection }
    do {
      let connection = try BlockingConnection(
        url, name: url.newConnectionName(random), responseTimeout: Int32(clamping: limits.responseTimeout),
        prepares: true)
      Self.workerConnection.value = connection
      counts.withLock { $0.connections += 1 }
      return connection
    } catch {
      counts.withLock { $0.failedConnections += 1 }
      throw error
    }
  }

  private func disconnect() {
    Self.workerConnection.value = nil
    counts.withLock { counts in
      counts.connections -= 1
      counts.failedConnections += 1
    }
  }
}
