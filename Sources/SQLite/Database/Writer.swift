import Synchronization

/// Runs the writes, many in one transaction.
///
/// This is group commit: while one transaction is synced to the disk, jobs gather, and the next transaction takes them
/// all. So the time of a sync limits how fast a single write is, but not how many writes there can be in a second.
final class Writer: Sendable {
  /// Limits how long the first job of a transaction waits for the last one.
  static let maxJobsPerTransaction = 256

  let queue: WriteQueue
  private let commits = Atomic<Int>(0)
  private let lastCheckpointFailure = Mutex<SQLiteError?>(nil)

  init(maxWaiting: Int) {
    queue = WriteQueue(limit: maxWaiting)
  }

  /// How many transactions were committed so far.
  var commitCount: Int { commits.load(ordering: .acquiring) }

  /// Why the last checkpoint failed; nil if it succeeded.
  var checkpointFailure: SQLiteError? { lastCheckpointFailure.withLock { $0 } }

  /// Runs the jobs of the queue until it is closed and empty, then closes `connection`, which must have taken over its
  /// checkpoints.
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
      // After the callers have been resumed: none needs to wait for it.
      checkpoints.checkpointIfDue(connection)
      lastCheckpointFailure.withLock { $0 = checkpoints.failure }
    }
    if checkpoints.areOver { try? connection.keepLog() }
    connection.close()
  }

  /// A single job needs no savepoint: its error rolls back the whole transaction.
  private func serveAlone(_ job: WriteJob, on connection: Connection) {
    let outcome = job.run(connection)
    if outcome.error == nil {
      outcome.resume(commit(connection))
    } else {
      connection.rollBack()
      outcome.resume(nil)
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
        // After some errors, such as a full disk, SQLite has rolled back everything, including the jobs before this
        // one.
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
      for outcome in outcomes { outcome.resume(failure) }
    } else {
      let failure = commit(connection)
      for outcome in outcomes { outcome.resume(failure) }
    }
  }

  /// Returns nil if the transaction is on disk. Otherwise it rolls the transaction back and returns the error.
  private func commit(_ connection: Connection) -> (any Error)? {
    do {
      try connection.run("COMMIT")
      // Before the callers are resumed: anyone who knows of a write must not be shown an older snapshot.
      commits.wrappingAdd(1, ordering: .releasing)
      return nil
    } catch {
      connection.rollBack()
      return error
    }
  }
}
