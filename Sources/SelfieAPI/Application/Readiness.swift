import HTTPMessages
import Logging
import Platform
import Synchronization

/// Whether the server can store what it accepts, found out by storing something.
///
/// Nobody needs credentials to ask, so asking must not wear down the disk or keep it busy: all who ask within a second
/// get the same result, and those who ask at the same time share one probe.
final class Readiness: Sendable {
  /// How long a result is used, in milliseconds.
  static let lifetime: Int64 = 1000
  /// How long callers wait for a probe, in milliseconds. Kubernetes waits for one second unless it is configured
  /// otherwise; a disk that takes five should not be sent uploads.
  static let timeout: Int64 = 5000
  /// What must be free in addition to the largest photo, in bytes: the database's log of 4 MB, and as much again for
  /// the file into which a checkpoint copies it.
  static let roomForDatabase: Int64 = 8 << 20

  /// How long an object store that was there counts as being there, in milliseconds. Uploads and downloads notice by
  /// themselves when it is not, and each look at it is a request that may cost money.
  static let objectsLifetime: Int64 = 60_000

  private struct State {
    /// Nil when none is running.
    var probe: Task<StorageFailure?, Never>?
    /// When the last probe began; nil before the first.
    var probedAt: Int64?
    /// The result of the last probe.
    var found: StorageFailure?
    /// When the object store last responded.
    var objectsSeenAt: Int64?
    /// The message that was logged last.
    var reported: String?
  }

  private enum Step {
    case known(StorageFailure?)
    case running(Task<StorageFailure?, Never>)
  }

  /// Writes what a response tells besides.
  typealias Details = @Sendable (inout JSONWriter) -> Void

  let details = Mutex<[Details]>([])
  private let photos: PhotoLibrary
  private let database: ApplicationDatabase
  private let neededBytes: Int64
  private let clock: @Sendable () -> Int64
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameters:
  ///   - maxPhotoBytes: with less room than this the storage counts as full.
  ///   - clock: milliseconds. It must not be a clock that tests stop: a result would be used for ever.
  init(
    photos: PhotoLibrary, database: ApplicationDatabase, maxPhotoBytes: Int,
    clock: @escaping @Sendable () -> Int64, logger: Logger
  ) {
    self.photos = photos
    self.database = database
    let (needed, isTooMuch) = Int64(maxPhotoBytes).addingReportingOverflow(Self.roomForDatabase)
    neededBytes = isTooMuch ? .max : needed
    self.clock = clock
    self.logger = logger
  }

  /// What keeps the server from storing; nil if nothing does.
  func failure() async -> StorageFailure? {
    let now = clock()
    switch state.withLock({ next(&$0, now: now) }) {
    case .running(let probe): return await probe.value
    case .known(let failure):
      report(failure)
      return failure
    }
  }

  private func next(_ state: inout State, now: Int64) -> Step {
    // The age is negative if the clock was put back; the last result is not used then.
    let age = state.probedAt.map { now &- $0 }
    if let probe = state.probe {
      if let age, age >= Self.timeout { return .known(.slow) }
      return .running(probe)
    }
    if let age, 0..<Self.lifetime ~= age { return .known(state.found) }
    let probe = Task { await self.runProbe() }
    state.probe = probe
    state.probedAt = now
    return .running(probe)
  }

  private func runProbe() async -> StorageFailure? {
    let failure = await probe()
    state.withLock { state in
      state.probe = nil
      state.found = failure
    }
    report(failure)
    return failure
  }

  private func probe() async -> StorageFailure? {
    let files = photos.files
    do {
      let freeBytes = try await photos.pool.run {
        try files.probe()
        return try files.freeBytes()
      }
      try await database.probe()
      try await probeObjects()
      return freeBytes < neededBytes ? .almostFull(freeBytes: freeBytes, neededBytes: neededBytes) : nil
    } catch {
      return StorageFailure(error)
    }
  }

  private func probeObjects() async throws {
    let now = clock()
    let age = state.withLock { $0.objectsSeenAt.map { now &- $0 } }
    if let age, 0..<Self.objectsLifetime ~= age { return }
    try await photos.bytes.probe()
    state.withLock { $0.objectsSeenAt = now }
  }

  /// Logs a change, and not each probe.
  private func report(_ failure: StorageFailure?) {
    let isNew = state.withLock { state in
      defer { state.reported = failure?.message }
      return state.reported != failure?.message
    }
    guard isNew else { return }
    if let failure {
      logger.warning("not ready: \(failure.message)", metadata: ["error": "\(failure.detail)"])
    } else {
      logger.notice("ready again: what is answered with 200 can be stored")
    }
  }
}
