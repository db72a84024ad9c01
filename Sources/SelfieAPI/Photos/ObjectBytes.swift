import HTTPMessages
package import Logging
import Platform
package import SQL

// The order of steps for photos in an object store. `PhotoObjects` has the requests, and `FileBytes` is the counterpart
// for files.
extension PhotoObjects {
  /// The photos' bytes in this store.
  ///
  /// - Parameters:
  ///   - database: has the photos' rows.
  ///   - sweepAfter: the seconds after which nothing of an upload can be under way any more.
  package func bytes(of database: any SharedDatabase, sweepAfter: Int, logger: Logger) -> any PhotoBytes {
    ObjectBytes(
      objects: self, rows: PhotoStore(database: .shared(database)), sweepAfter: Int64(sweepAfter) * 1000, logger: logger
    )
  }
}

/// The photos' bytes in an object store.
///
/// From before there can be an object until its row is committed, a note in the table `uploads` has its id. So whenever
/// this process ends, and whatever becomes of its requests, other processes find an object that has no row by its note.
struct ObjectBytes: PhotoBytes {
  /// The number of objects that are deleted at once while no client waits. More are left to the next purge.
  private static let maxDeletions = 32
  /// The milliseconds for which other processes leave an object alone that one has claimed: far longer than it takes to
  /// delete a hundred.
  private static let claimTime: Int64 = 600_000

  let objects: any PhotoObjects
  let rows: PhotoStore
  /// Milliseconds after which nothing of an upload can be under way any more.
  let sweepAfter: Int64
  let logger: Logger
  private let deletions = Monitor(0)
  /// Why objects could not be deleted, as it was logged last; nil if they could.
  private let reportedFailure = Monitor<String?>(nil)

  // MARK: - Uploads

  /// The rest of the bytes is written to the file, the upload is noted, the object is stored, and in the transaction in
  /// which the photo gets its row, the note goes.
  func store(
    _ upload: PhotoUpload, as photo: Photo, by token: Token, within limits: PhotoLimits, flow: Flow
  ) async throws {
    let id = upload.id
    defer { upload.removeIncoming() }
    let finished = try await upload.finishFile()
    var photo = photo
    photo.sha256 = finished.sha256
    try await rows.database.write(about: .all) { try $0.noteUploads([id]) }
    // After an error the object may be there, or arrive later. It is found by the note.
    let wasRetried = try await objects.put(
      id, finished.file, byteCount: photo.byteCount, sha256: finished.sha256 ?? [], flow: flow)
    upload.room?.release()
    do {
      try await rows.insert(photo, as: token, within: limits, mayArriveAgain: wasRetried)
    } catch {
      // After any other error the row may be there.
      guard error is Refusal || error is APIError else { throw error }
      try await rows.discard(id, mayArriveAgain: wasRetried)
      await remove(id)
      throw error
    }
  }

  // MARK: - Downloads

  func size(of id: String) async throws -> Int64? { try await objects.size(id) }

  /// The response there is to say the photo's type. Pages of the store's own origin are not to show what only claims to
  /// be an image.
  func address(of id: String, contentType: String) -> String? {
    let type = ContentType(name: contentType)
    return objects.presignedURL(
      of: id,
      fields: [
        (name: "content-type", value: type.name),
        (name: "content-disposition", value: type.isImage ? "inline" : "attachment"),
      ])
  }

  // MARK: - Deletions

  /// Returns at once.
  func remove(_ id: String) async {
    let isTaken = deletions.withLock { count in
      guard count < Self.maxDeletions else { return false }
      count += 1
      return true
    }
    guard isTaken else { return }
    Task {
      defer { deletions.withLock { $0 -= 1 } }
      if let failure = await delete([id]).failure { report(failure) }
    }
  }

  /// Deletes objects left behind by crashed uploads and by deleted photos. All processes may do this at once: they share
  /// the work.
  func purge() async throws {
    while try await rows.sweepUploads(startedBefore: sweepAfter) > 0 {}
    var failure: (any Error)?
    var count = 0
    while case let ids = try await rows.claimRemoved(for: Self.claimTime), !ids.isEmpty {
      count += ids.count
      let (deleted, error) = await delete(ids)
      guard let error else { continue }
      failure = error
      if deleted == 0 || Self.endsPurge(error) { break }
    }
    // Nothing is known of the store if there was nothing to delete, or if that was cancelled.
    if count > 0, !(failure is CancellationError) { report(failure) }
  }

  /// Deletes objects one after the other, and forgets those that are deleted for good.
  ///
  /// - Returns: how many objects are deleted, and why not all of them are; nil if they are.
  private func delete(_ ids: [String]) async -> (deleted: Int, failure: (any Error)?) {
    var failure: (any Error)?
    var gone: [String] = []
    for id in ids {
      do {
        try await objects.delete(id)
        gone.append(id)
      } catch {
        failure = error
        if Self.endsPurge(error) { break }
      }
    }
    do {
      if !gone.isEmpty { try await rows.forgetRemoved(gone) }
    } catch {
      failure = failure ?? error
    }
    return (gone.count, failure)
  }

  /// Whether what else is to be deleted can wait. While the store is away, each try takes as long as all of its attempts;
  /// and a server that stops must not claim what others could delete.
  private static func endsPurge(_ error: any Error) -> Bool {
    (error as? PhotoObjectsError)?.kind == .away || error is CancellationError
  }

  /// Logs a change, and not each try.
  private func report(_ failure: (any Error)?) {
    let state = failure.map { error in
      (error as? PhotoObjectsError).map { "\($0.kind)" } ?? "\(type(of: error))"
    }
    let isNew = reportedFailure.withLock { reported in
      defer { reported = state }
      return reported != state
    }
    guard isNew else { return }
    if let failure {
      logger.warning("objects of deleted photos stay for now", metadata: ["error": "\(failure)"])
    } else {
      logger.notice("objects of deleted photos can be deleted again")
    }
  }

  // MARK: - The rest

  /// An object's digest is in its row from the beginning.
  func noteDigests(ofAll all: Bool, while mayGoOn: @Sendable () -> Bool) async throws {}

  /// There is no object of this name: to be told so is enough.
  func probe() async throws { _ = try await objects.size(PhotoFiles.probeName) }

  var layout: StorageLayout? { nil }
}
