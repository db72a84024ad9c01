import Platform
import SQL
import Synchronization

/// Runs the writes, many in one transaction. `Database` gives it the jobs, and `Checkpoints` decides when the log is
/// copied into the file.
///
/// This is group commit: while one transaction is synced to the disk, jobs gather, and the next transaction takes them
/// all. So the time of a sync limits how fast a single write is, but not how many writes there can be in a second. Each
/// transaction takes the jobs in turns, so that a client with thousands of writes makes others wait for few of them.
final class Writer: Sendable {
  /// Limits how long the first job of a transaction waits for the last one.
  static let maxJobsPerTransaction = 256

  private struct Inbox {
    /// The jobs that wait.
    var jobs = FairQueue<WriteJob>()
    var isClosed = false
  }

  private let inbox = Monitor(Inbox())
  /// Of one kind.
  private let maxWaiting: Int
  let reserve: DiskReserve?
  private let epoch = Atomic<Int>(0)
  let changes = ChangeCounts()

  let commits = Histogram(bounds: Histogram.diskBounds)
  let checkpoints = Histogram(bounds: Histogram.diskBounds)
  let failedCheckpoints = Atomic<Int>(0)
  /// Why the last checkpoint failed; nil if it succeeded.
  let checkpointFailure = Monitor<SQLiteError?>(nil)

  init(maxWaiting: Int, reserve: DiskReserve?) {
    self.maxWaiting = maxWaiting
    self.reserve = reserve
  }

  /// Grows with each commit, and whenever a checkpoint needs snapshots to end. A snapshot is no longer to be used once
  /// this has grown.
  var snapshotEpoch: Int { epoch.load(ordering: .acquiring) }

  /// Makes the next read of each event loop begin a new snapshot.
  func renewSnapshots() { epoch.wrappingAdd(1, ordering: .releasing) }

  var waitingCount: Int { inbox.withLock { $0.jobs.count } }

  /// - Parameter flow: whose jobs take turns with those of others.
  /// - Throws: `DatabaseError.closed` or `QueueFull`, if the job will not be run.
  func append(_ job: WriteJob, _ flow: Flow) throws {
    let displaced = try inbox.withLock { inbox throws -> WriteJob? in
      if inbox.isClosed { throw DatabaseError.closed }
      var displaced: WriteJob?
      if inbox.jobs.count(ofKind: flow.kind) >= maxWaiting {
        displaced = inbox.jobs.makeRoom(for: flow)
        if displaced == nil { throw QueueFull() }
      }
      inbox.jobs.append(job, flow)
      return displaced
    }
    displaced?.refuse(QueueFull())
    inbox.notifyOne()
  }

  /// Refuses jobs from now on. Those that wait will still be run.
  func close() {
    inbox.withLock { $0.isClosed = true }
    inbox.notifyAll()
  }

  /// Runs jobs until the writer is closed and none waits, then closes `connection`, which must have taken over its
  /// checkpoints.
  func serve(_ connection: Connection) {
    var schedule = Checkpoints(of: self)
    while case let jobs = nextJobs(), !jobs.isEmpty {
      serve(jobs, on: connection)
      // After the callers have been resumed: none needs to wait for it.
      schedule.checkpointIfDue(connection)
    }
    if schedule.areOver { try? connection.keepLog() }
    connection.close()
  }

  /// Waits for jobs; none once the writer is closed and none waits.
  private func nextJobs() -> [WriteJob] {
    inbox.wait { inbox -> [WriteJob]? in
      guard inbox.jobs.count > 0 || inbox.isClosed else { return nil }
      var jobs: [WriteJob] = []
      jobs.reserveCapacity(min(inbox.jobs.count, Self.maxJobsPerTransaction))
      while jobs.count < Self.maxJobsPerTransaction, let job = inbox.jobs.next() { jobs.append(job) }
      return jobs
    }
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

  /// Refuses the other jobs while the reserve is gone: they would take the room that it has left for jobs that make room.
  private func refusingOthersIfFull(_ jobs: [WriteJob]) -> [WriteJob] {
    do throws(FileError) {
      try reserve?.check()
      return jobs
    } catch {
      for job in jobs where !job.makesRoom { job.refuse(error) }
      return jobs.filter(\.makesRoom)
    }
  }

  private func run(_ jobs: [WriteJob], on connection: Connection) -> CommonTransaction {
    do {
      try connection.run("BEGIN IMMEDIATE")
    } catch {
      return CommonTransaction(jobs: jobs, failure: error)
    }
    if let job = jobs.first, jobs.count == 1 { return runAlone(job, on: connection) }
    return runTogether(jobs, on: connection)
  }

  /// A single job needs no savepoint: its error rolls back the whole transaction.
  private func runAlone(_ job: WriteJob, on connection: Connection) -> CommonTransaction {
    let outcome = job.run(connection)
    var transaction = CommonTransaction(jobs: [job], outcomes: [outcome])
    if outcome.failure == nil {
      transaction.failure = commit([job], on: connection)
    } else {
      connection.rollBack()
    }
    return transaction
  }

  private func runTogether(_ jobs: [WriteJob], on connection: Connection) -> CommonTransaction {
    var transaction = CommonTransaction(jobs: jobs)
    transaction.outcomes.reserveCapacity(jobs.count)
    for job in jobs {
      do {
        try connection.run("SAVEPOINT write_job")
        let outcome = job.run(connection)
        transaction.outcomes.append(outcome)
        // After some errors, such as a full disk, SQLite has rolled back everything, including the jobs before this
        // one.
        guard connection.isInTransaction else {
          throw outcome.failure ?? SQLiteError.misuse("a write ended the transaction that it shares with others")
        }
        if outcome.failure != nil { try connection.run("ROLLBACK TO write_job") }
        try connection.run("RELEASE write_job")
      } catch {
        connection.rollBack()
        transaction.failure = error
        return transaction
      }
    }
    transaction.failure = commit(jobs, on: connection)
    return transaction
  }

  /// Returns nil if the transaction is on disk. Otherwise it rolls the transaction back and returns the error.
  private func commit(_ jobs: [WriteJob], on connection: Connection) -> (any Error)? {
    do {
      let start = monotonicNanoseconds()
      try connection.run("COMMIT")
      commits.observe(monotonicNanoseconds() &- start)
      // The callers resume after this, since each must find its own write in the next snapshot.
      renewSnapshots()
      // After that: whoever finds a change counted must not read from an older snapshot.
      for job in jobs { changes.add(job.changes) }
      return nil
    } catch {
      connection.rollBack()
      return error
    }
  }
}

/// Jobs that were run in one transaction, which has ended.
private struct CommonTransaction {
  let jobs: [WriteJob]
  /// Of those jobs that were run.
  var outcomes: [Result<() -> Void, any Error>] = []
  /// Why nothing of the transaction was committed.
  var failure: (any Error)?

  /// The error that says that there is no room for the transaction, or for a job that was alone in it.
  var diskFull: (any Error)? {
    guard let error = failure ?? (outcomes.count == 1 ? outcomes[0].failure : nil) else { return nil }
    return (error as? SQLiteError)?.isDiskFull == true ? error : nil
  }

  /// Resumes the callers.
  func resume() {
    if let failure { return jobs.forEach { $0.refuse(failure) } }
    for (job, outcome) in zip(jobs, outcomes) {
      switch outcome {
      case .success(let resume): resume()
      case .failure(let error): job.refuse(error)
      }
    }
  }
}

/// A write on its way to the writer thread, and how to resume its caller.
struct WriteJob: Sendable {
  let changes: ChangedData
  /// Whether the job makes room, so that it may use the disk's reserve.
  let makesRoom: Bool
  /// Runs the job in the transaction that the connection has open, and returns how to resume its caller once that is
  /// committed. Must be called again if the transaction was rolled back and the job is to run in another one.
  let run: @Sendable (Connection) -> Result<() -> Void, any Error>
  /// Resumes the caller of a job that has failed, or was not run or not committed.
  let refuse: @Sendable (any Error) -> Void

  init<T: Sendable>(
    changing data: ChangedData, makesRoom: Bool, _ body: @escaping @Sendable (Connection) throws -> T,
    _ continuation: CheckedContinuation<T, any Error>
  ) {
    changes = data
    self.makesRoom = makesRoom
    run = { connection in Result { try body(connection) }.map { value in { continuation.resume(returning: value) } } }
    refuse = { continuation.resume(throwing: $0) }
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
