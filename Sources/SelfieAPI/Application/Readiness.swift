import Logging
import SQLite
import Synchronization
import Platform

/// Whether what is answered with 200 can be stored, found out by storing something.
///
/// Nobody needs credentials to ask, so asking must not wear down the disk or keep it busy: whoever asks within a second
/// is told the same, and those who ask at the same time share one probe.
final class Readiness: Sendable {
  /// For how long what was found is told, in milliseconds.
  static let lifetime: Int64 = 1000
  /// How long a probe may take, in milliseconds, before those who ask are no longer kept waiting for it. Kubernetes
  /// waits for one second unless it is told otherwise; a disk that takes five is not one to send uploads to.
  static let patience: Int64 = 5000
  /// What a probe wants to find free beside the largest photo, in bytes: the database's log of 4 MB, and as much again
  /// for the file into which that goes.
  static let roomForDatabase: Int64 = 8 << 20

  private struct State {
    var isProbing = false
    /// When the last probe began; nil before the first.
    var probedAt: Int64?
    /// What the last one found.
    var found: StorageProblem?
    /// What was logged last.
    var reported: StorageProblem?
    var waiting: [CheckedContinuation<StorageProblem?, Never>] = []
  }

  private let files: PhotoFiles
  private let lane: WorkerPool
  private let database: Database
  private let neededBytes: Int64
  private let clock: @Sendable () -> Int64
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameters:
  ///   - largestPhoto: in bytes; for less room than that the storage counts as full.
  ///   - clock: milliseconds. Not the one that a test of an app may let stand still: what was found would be told for
  ///     ever.
  init(
    photos: PhotoLibrary, database: Database, largestPhoto: Int, clock: @escaping @Sendable () -> Int64, logger: Logger
  ) {
    files = photos.files
    lane = photos.lane
    self.database = database
    let (needed, isTooMuch) = Int64(largestPhoto).addingReportingOverflow(Self.roomForDatabase)
    neededBytes = isTooMuch ? .max : needed
    self.clock = clock
    self.logger = logger
  }

  /// What keeps the server from storing; nil when nothing does.
  func problem() async -> StorageProblem? {
    let now = clock()
    switch state.withLock({ Self.next(&$0, now: now) }) {
    case .tell(let problem):
      report(problem)
      return problem
    case .wait:
      return await withCheckedContinuation { continuation in
        let found = state.withLock { state -> StorageProblem?? in
          guard state.isProbing else { return .some(state.found) }
          state.waiting.append(continuation)
          return nil
        }
        if let found { continuation.resume(returning: found) }
      }
    case .probe:
      let problem = await probe()
      let waiting = state.withLock { state in
        state.isProbing = false
        state.found = problem
        defer { state.waiting = [] }
        return state.waiting
      }
      report(problem)
      for continuation in waiting { continuation.resume(returning: problem) }
      return problem
    }
  }

  private enum Step {
    case tell(StorageProblem?)
    case wait
    case probe
  }

  private static func next(_ state: inout State, now: Int64) -> Step {
    // A clock that was put back makes an age negative, and then nothing is known.
    let age = state.probedAt.map { now &- $0 }
    if state.isProbing {
      guard let age, age >= patience else { return .wait }
      return .tell(.slow)
    }
    if let age, 0..<lifetime ~= age { return .tell(state.found) }
    state.isProbing = true
    state.probedAt = now
    return .probe
  }

  private func probe() async -> StorageProblem? {
    let (files, neededBytes) = (files, neededBytes)
    do {
      let freeBytes = try await lane.run {
        try files.probe()
        return try files.freeBytes()
      }
      try await database.probe()
      return freeBytes < neededBytes ? .almostFull(freeBytes: freeBytes, neededBytes: neededBytes) : nil
    } catch {
      return StorageProblem(error)
    }
  }

  /// Logs a change, and not each probe.
  private func report(_ problem: StorageProblem?) {
    let isNew = state.withLock { state in
      defer { state.reported = problem }
      return state.reported?.message != problem?.message
    }
    guard isNew else { return }
    if let problem {
      logger.warning("not ready: \(problem.message)", metadata: ["error": "\(problem.detail)"])
    } else {
      logger.notice("ready again: what is answered with 200 can be stored")
    }
  }
}
