import HTTPMessages
import Logging
import Platform
import SQLite

/// The photos' bytes in a folder of this machine. `PhotoFiles` has the work on files, and `ObjectBytes` is the
/// counterpart for a cluster.
///
/// Of a deletion, the row goes first: its transaction notes, in `removed_photos`, which file has to go, so that no crash
/// leaves one that would never be removed.
struct FileBytes: PhotoBytes {
  let files: PhotoFiles
  let rows: PhotoStore
  let pool: WorkerPool
  /// Does what no request waits for.
  let background: WorkerPool
  let logger: Logger
  /// The id of the last photo that `noteDigests` has looked at.
  private let digested = Monitor<Int64>(0)

  func store(
    _ upload: PhotoUpload, as photo: Photo, by token: Token, within limits: PhotoLimits, flow: Flow
  ) async throws {
    // The end of step 1, and steps 2 and 3: the file is whole, has its place in `photos/`, and is synced.
    try await upload.publish()
    upload.room?.release()
    do {
      // Step 4: the row is committed.
      try await rows.insert(photo, as: token, within: limits)
    } catch {
      // If the row may appear at the next start after all, that start decides about the file.
      let mayHaveRow = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRow { try? await pool.run { [id = upload.id] in try files.discard(id) } }
      throw error
    }
    // Step 5: the name in `incoming/` goes, and the client gets its response.
    upload.removeIncoming()
  }

  func body(
    of id: String, byteCount: Int64, offset: Int64, length: Int64, isFetched: Bool, flow: @autoclosure () -> Flow,
    memory: MemoryBudget
  ) async throws -> Response.Body? {
    try files.body(of: id, byteCount, offset..<offset + length)
  }

  func size(of id: String) async throws -> Int64? {
    try await pool.run { try files.open(id)?.byteCount }
  }

  func address(of id: String, contentType: String) -> String? { nil }

  func remove(_ id: String) async {
    do {
      try await pool.run { try files.remove(id) }
    } catch {
      logger.warning("the file of a deleted photo stays for now", metadata: ["error": "\(Self.loggable(error))"])
    }
  }

  func purge() async throws {
    var last = ""
    while case let ids = try await rows.database.all(PhotoStore.removed(after: last), as: String.self),
      let newest = ids.last, newest > last
    {
      guard last.utf8.lexicographicallyPrecedes(newest.utf8) else { throw DatabaseError.outOfOrder }
      let removal = try await pool.run { files.removeDurably(ids) }
      if let failure = removal.failure {
        logger.warning(
          "files of deleted photos stay for now",
          metadata: ["count": "\(ids.count - removal.gone.count)", "error": "\(Self.loggable(failure))"])
      }
      try await rows.forgetRemoved(removal.gone)
      last = newest
    }
  }

  func noteDigests(ofAll all: Bool, while mayGoOn: @Sendable () -> Bool) async throws {
    // Ids begin anew when the whole store is replaced.
    let newest = try await rows.database.lastRowID(of: "photos")
    var last = all ? 0 : digested.withLock { min($0, newest) }
    while mayGoOn(), !Task.isCancelled, case let photos = try await rows.withoutDigest(after: last), !photos.isEmpty {
      guard let newestOfPage = photos.last?.id, newestOfPage > last else { throw DatabaseError.outOfOrder }
      var digested: [Photo] = []
      for photo in photos {
        guard mayGoOn(), !Task.isCancelled else { break }
        // Rows of a damaged page are out of order, without an end.
        guard photo.id > last else { return }
        if let photo = try await background.run({ withDigest(photo) }) { digested.append(photo) }
        last = photo.id
      }
      if !digested.isEmpty {
        try await rows.database.write(about: .nobody) { [digested] in try $0.setDigests(of: digested) }
      }
    }
    let seen = last
    digested.withLock { $0 = max(min($0, newest), seen) }
  }

  /// Nil if the file cannot be read or has another length than was uploaded: a digest would make it look sound.
  private func withDigest(_ photo: Photo) -> Photo? {
    guard let status = try? files.status(photo.randomID), status.byteCount == photo.byteCount,
      let sha256 = try? files.digest(of: photo.randomID)
    else { return nil }
    var photo = photo
    photo.sha256 = sha256
    return photo
  }

  /// `PhotoFiles.probe` has tried the folder.
  func probe() async throws {}

  var layout: StorageLayout? { files.layout }

  /// An error without the path, which ends in the photo's id.
  private static func loggable(_ error: any Error) -> String {
    (error as? FileError)?.withoutPath ?? "\(error)"
  }
}
