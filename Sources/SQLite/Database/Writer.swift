import Platform
import Synchronization

/// Runs the writes, many in one transaction.
///
/// This is group commit: while one transaction is synced to the disk, jobs gather, and the next transaction takes them
/// all. So the time of a sync limits how fast a single write is, but not how many writes there can be in a second.
final class Writer: Sendable {
  /// Limits how long the first job of a transaction waits for the last one.
  static let maxJobsPerTransaction = 256

  let queue: WriteQueue
  let counters = WriterCounters()
  private let commits = Atomic<Int>(0)
  private let epoch = Atomic<Int>(0)
  private let lastCheckpointFailure = Mutex<SQLiteError?>(nil)

  private let reserve: DiskReserve?

  init(maxWaiting: Int, reserve: DiskReserve?) {
    queue = WriteQueue(limit: maxWaiting)
    self.reserve = reserve
  }

  /// How many transactions were committed so far.
  var commitCount: Int { commits.load(ordering: .acquiring) }

  /// Grows with each commit, and whenever a checkpoint needs snapshots to end. A snapshot is no longer to be used once
  /// this has grown.
  var snapshotEpoch: Int { epoch.load(ordering: .acquiring) }

  /// Why the last checkpoint failed; nil if it succeeded.
  var checkpointFailure: SQLiteError? { lastCheckpointFailure.withLock { $0 } }

  /// Runs the jobs of the queue until it is closed and empty, then closes `connection`, which must have taken over its
  /// checkpoints.
  func serve(_ connection: Connection) {
    var checkpoints = Checkpoints(reserve: reserve, counters: counters) {
      self.epoch.wrappingAdd(1, ordering: .releasing)
    }
    while let jobs = queue.next(max: Self.maxJobsPerTransaction) {
      serve(jobs, on: connection)
      // After the callers have been resumed: none needs to wait for it.
      checkpoints.checkpointIfDue(connection)
      lastCheckpointFailure.withLock { $0 = checkpoints.failure }
    }
    if checkpoints.areOver { try? connection.keepLog() }
    connection.close()
  }

  /// Runs the jobs in one transaction. If the disk is full, those that make room get another one without the others,
  /// and if need be the reserve.
  private func serve(_ jobs: [WriteJob], on connection: Connection) {
    let jobs = refusingOthersIfFull(jobs)
    guard !jobs.isEmpty else { return }
    var transaction = run(jobs, on: connection)
    let makingRoom = jobs.filter(\.makesRoom)
    if let failure = transaction.diskFull, !makingRoom.isEmpty {
      if makingRoom.count < jobs.count {
        for job in jobs where !job.makesRoom { job.refuse(failure) }
        transaction = run(makingRoom, on: connection)
      }
      if let reserve, transaction.diskFull != nil {
        transaction = reserve.spend { run(makingRoom, on: connection) }
      }
    }
    transaction.resume()
  }

  /// What others store while the reserve is gone would take the room that it has left for the jobs that make room.
  private func refusingOthersIfFull(_ jobs: [WriteJob]) -> [WriteJob] {
    do throws(FileError) {
      try reserve?.check()
      return jobs
    } catch {
      for job in jobs where !job.makesRoom { job.refuse(error) }
      return jobs.filter(\.makesRoom)
    }
  }

  private func run(_ jobs: [WriteJob], on connection: Connection) -> Transaction {
    do {
      try connection.run("BEGIN IMMEDIATE")
    } catch {
      return Transaction(jobs: jobs, failure: error)
    }
    if let job = jobs.first, jobs.count == 1 { return runAlone(job, on: connection) }
    return runTogether(jobs, on: connection)
  }

  /// A single job needs no savepoint: its error rolls back the whole transaction.
  private func runAlone(_ job: WriteJob, on connection: Connection) -> Transaction {
    let outcome = job.run(connection)
    var transaction = Transaction(jobs: [job], outcomes: [outcome])
    if outcome.error == nil {
      transaction.failure = commit(connection)
    } else {
      connection.rollBack()
    }
    return transaction
  }

  private func runTogether(_ jobs: [WriteJob], on connection: Connection) -> Transaction {
    var transaction = Transaction(jobs: jobs)
    transaction.outcomes.reserveCapacity(jobs.count)
    for job in jobs {
      do {
        try connection.run("SAVEPOINT write_job")
        let outcome = job.run(connection)
        transaction.outcomes.append(outcome)
        // After some errors, such as a full disk, SQLite has rolled back everything, including the jobs before this
        // one.
        guard connection.isInTransaction else {
          throw outcome.error ?? SQLiteError.misuse("a write ended the transaction that it shares with others")
        }
        if outcome.error != nil { try connection.run("ROLLBACK TO write_job") }
        try connection.run("RELEASE write_job")
      } catch {
        connection.rollBack()
        transaction.failure = error
        return transaction
      }
    }
    transaction.failure = commit(connection)
    return transaction
  }

  /// Returns nil if the transaction is on disk. Otherwise it rolls the transaction back and returns the error.
  private func commit(_ connection: Connection) -> (any Error)? {
    do {
      let start = monotonicNanoseconds()
      try connection.run("COMMIT")
      counters.commits.observe(monotonicNanoseconds() &- start)
      // Before the callers are resumed: anyone who knows of a write must not be shown an older snapshot.
      commits.wrappingAdd(1, ordering: .releasing)
      epoch.wrappingAdd(1, ordering: .releasing)
      return nil
    } catch {
      connection.rollBack()
      return error
    }
  }
}

/// Jobs that were run in one transaction, which has ended.
private struct Transaction {
  let jobs: [WriteJob]
  /// Of those jobs that were run.
  var outcomes: [WriteJob.Outcome] = []
  /// Why nothing of the transaction was committed.
  var failure: (any Error)?

  /// The error that says that there is no room for the transaction, or for a job that was alone in it.
  var diskFull: (any Error)? {
    let error = failure ?? (outcomes.count == 1 ? outcomes[0].error : nil)
    return (error as? SQLiteError)?.isDiskFull == true ? error : nil
  }

  /// Resumes the callers.
  func resume() {
    if let failure {
      for job in jobs.dropFirst(outcomes.count) { job.refuse(failure) }
    }
    for outcome in outcomes { outcome.resume(failure) }
  }
}
