import Synchronization

/// Runs the writes, many in one transaction.
///
/// Group commit: while one transaction is being synced to disk, jobs gather, and the next one takes them all. So a
/// sync's time bounds how fast a write is answered, but not how many writes a second has.
final class Writer: Sendable {
  /// Bounds the time for which the first job of a transaction waits for the last one.
  static let maxJobsPerTransaction = 256

  let queue: WriteQueue
  private let commits = Atomic<Int>(0)
  private let lastCheckpointFailure = Mutex<SQLiteError?>(nil)

  init(maxWaiting: Int) {
    queue = WriteQueue(limit: maxWaiting)
  }

  /// Transactions on disk so far.
  var commitCount: Int { commits.load(ordering: .acquiring) }

  /// Why the log could not go into the file when that was tried last; nil if it could.
  var checkpointFailure: SQLiteError? { lastCheckpointFailure.withLock { $0 } }

  /// Serves the queue until it is closed and empty, then closes `connection`, which has taken over its checkpoints.
  func serve(_ connection: Connection) {
    var checkpoints = Checkpoints()
    while let jobs = queue.next(max: Self.maxJobsPerTransaction) {
      do {
        try connection.run("BEGIN IMMEDIATE")
      } catch {
        for job in jobs { job.refuse(error) }
        continue
      }
      if let job = jobs.first, jobs.count == 1 {
        serveAlone(job, on: connection)
      } else {
        serveTogether(jobs, on: connection)
      }
      // After the answers: nobody needs to wait for it.
      checkpoints.checkpointIfDue(connection)
      lastCheckpointFailure.withLock { $0 = checkpoints.failure }
    }
    if checkpoints.areOver { try? connection.keepLog() }
    connection.close()
  }

  /// A lone job needs no savepoint: its error rolls back the transaction.
  private func serveAlone(_ job: WriteJob, on connection: Connection) {
    let outcome = job.run(connection)
    if outcome.error == nil {
      outcome.answer(commit(connection))
    } else {
      connection.rollBack()
      outcome.answer(nil)
    }
  }

  private func serveTogether(_ jobs: [WriteJob], on connection: Connection) {
    var outcomes: [WriteJob.Outcome] = []
    outcomes.reserveCapacity(jobs.count)
    var failure: (any Error)?
    for job in jobs {
      do {
        try connection.run("SAVEPOINT write_job")
        let outcome = job.run(connection)
        outcomes.append(outcome)
        // After some errors (a full disk) SQLite has rolled back everything, the jobs before this one included.
        guard connection.isInTransaction else {
          throw outcome.error ?? SQLiteError.misuse("a write ended the transaction that it shares with others")
        }
        if outcome.error != nil { try connection.run("ROLLBACK TO write_job") }
        try connection.run("RELEASE write_job")
      } catch {
        failure = error
        break
      }
    }
    if let failure {
      connection.rollBack()
      for job in jobs.dropFirst(outcomes.count) { job.refuse(failure) }
      for outcome in outcomes { outcome.answer(failure) }
    } else {
      let failure = commit(connection)
      for outcome in outcomes { outcome.answer(failure) }
    }
  }

  /// Nil if the transaction is on disk; else why not, and it is rolled back.
  private func commit(_ connection: Connection) -> (any Error)? {
    do {
      try connection.run("COMMIT")
      // Before the writes are answered: who knows of one must not be shown an older snapshot.
      commits.wrappingAdd(1, ordering: .releasing)
      return nil
    } catch {
      connection.rollBack()
      return error
    }
  }
}
