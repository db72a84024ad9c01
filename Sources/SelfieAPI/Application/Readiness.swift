import HTTPMessages
import Logging
import Platform
import SQLite

/// Whether the server can store what it accepts, found out by storing something. Health.swift has the endpoint, and
/// DatabaseProbe.swift in SQLite the write.
///
/// Asking needs no credentials, so it must not wear down the disk or keep it busy: all requests within a second get the
/// same result, and simultaneous ones share one probe.
package final class Readiness: Sendable {
  /// The milliseconds for which a result is used.
  static let lifetime: Int64 = 1000
  /// How long callers wait for a probe, in milliseconds. Kubernetes waits for one second unless it is configured
  /// otherwise; a disk that takes five should not be sent uploads.
  static let timeout: Int64 = 5000
  /// What must be free in addition to the largest photo, in bytes: the database's log of 4 MB, and as much again for
  /// the file into which a checkpoint copies it.
  package static let roomForDatabase: Int64 = 8 << 20

  /// How long an object store that was there counts as being there, in milliseconds. Uploads and downloads notice
  /// when it is not, and each probe is a request that may cost money.
  static let objectsLifetime: Int64 = 60_000

  /// Writes a member that a response has besides.
  typealias Detail = @Sendable (inout JSONWriter) throws -> Void

  let details = Monitor<[Detail]>([])
  private let photos: PhotoLibrary
  private let database: ApplicationDatabase
  private let neededBytes: Int64
  private let clock: @Sendable () -> Int64
  private let logger: Logger
  private let storage: SharedProbe<StorageFailure?>
  /// When the object store last responded.
  private let objectsSeenAt = Monitor<Int64?>(nil)
  /// The message that was logged last.
  private let reported = Monitor<String?>(nil)

  /// - Parameters:
  ///   - maxPhotoBytes: with less room than this the storage counts as full.
  ///   - clock: milliseconds. It must never stand still: a result would be used for ever.
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
    storage = SharedProbe(patience: Self.timeout, clock: clock) { _ in Self.lifetime }
  }

  /// The reason why the server cannot store anything; nil if it can.
  func failure() async -> StorageFailure? {
    let failure = await storage.value { _ in
      .slow
    } by: { [self] _ in
      await probe()
    }
    report(failure)
    return failure
  }

  private func probe() async -> StorageFailure? {
    let files = photos.files
    // What is read next may be in order.
    if let damage = database.file?.damage { return StorageFailure(damage) }
    do {
      let freeBytes = try await photos.pool.run {
        try files.probe()
        return try FileSystem.freeBytes(at: files.layout.folder)
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
    let age = objectsSeenAt.withLock { $0.map { now &- $0 } }
    if let age, 0..<Self.objectsLifetime ~= age { return }
    try await photos.bytes.probe()
    objectsSeenAt.withLock { $0 = now }
  }

  /// Logs a change, and not each probe.
  private func report(_ failure: StorageFailure?) {
    let isNew = reported.withLock { reported in
      defer { reported = failure?.message }
      return reported != failure?.message
    }
    guard isNew else { return }
    if let failure {
      logger.warning("not ready: \(failure.message)", metadata: ["error": "\(failure.detail)"])
    } else {
      logger.notice("ready again: data can be stored")
    }
  }
}
