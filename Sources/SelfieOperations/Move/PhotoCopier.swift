import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// Copies photos' bytes between a folder and an object store, and reads each copy.
struct PhotoCopier: Sendable {
  let direction: Move.Direction
  let files: PhotoFiles
  let objects: any PhotoObjects
  /// Waits for the disk.
  let pool: WorkerPool

  /// Returns the photo with its digest, once the copy was read and is the same.
  ///
  /// - Throws: `MoveProblem` if the source does not have the bytes that were uploaded.
  func copy(_ photo: Photo) async throws -> Photo {
    var photo = photo
    photo.sha256 =
      switch direction {
      case .toCluster: try await upload(photo)
      case .fromCluster: try await download(photo)
      }
    return photo
  }

  // MARK: - To the object store

  private func upload(_ photo: Photo) async throws -> [UInt8] {
    let (id, files) = (photo.randomID, files)
    let (file, sha256) = try await pool.run {
      guard let (file, byteCount) = try files.open(id) else { throw problem(of: photo, "its file is missing") }
      let sha256 = try SHA256.digest(of: file, path: files.path(of: id))
      try check(photo, byteCount: byteCount, sha256: sha256)
      return (file, sha256)
    }
    // An earlier run may have stored it, and have ended before it inserted the row.
    if try await objects.size(id) == photo.byteCount, try await objects.digest(of: photo) == sha256 { return sha256 }
    _ = try await objects.put(id, file, byteCount: photo.byteCount, sha256: sha256, turn: Turn())
    guard try await objects.digest(of: photo) == sha256 else { throw MoveError.unequalCopy(id: photo.loggedID) }
    return sha256
  }

  // MARK: - From the object store

  private func download(_ photo: Photo) async throws -> [UInt8] {
    let (id, files) = (photo.randomID, files)
    guard let byteCount = try await objects.size(id) else { throw problem(of: photo, "its object is missing") }
    // A file without a row is of an earlier run.
    try await pool.run { try files.discard(id) }
    var digest = SHA256()
    var partial = try await pool.run { try files.write([], of: id, to: nil) }
    var pieces = ObjectPieces(of: id, byteCount: byteCount, in: objects)
    while let bytes = try await pieces.next() {
      digest.update(bytes)
      let file = partial
      partial = try await pool.run { try files.write([bytes[...]], of: id, to: file) }
    }
    let (file, sha256) = (partial, digest.finish())
    let copy = try await pool.run {
      do {
        try check(photo, byteCount: byteCount, sha256: sha256)
      } catch {
        try files.removeIncoming(id)
        throw error
      }
      try files.publish(file, as: id)
      return try files.digest(of: id)
    }
    guard copy == sha256 else { throw MoveError.unequalCopy(id: photo.loggedID) }
    return sha256
  }

  // MARK: - Photos that cannot be moved

  private func check(_ photo: Photo, byteCount: Int64, sha256: [UInt8]) throws {
    guard byteCount == photo.byteCount else {
      throw problem(of: photo, "it has \(counted(byteCount, "byte")), and \(photo.byteCount) were uploaded")
    }
    guard photo.sha256 == nil || photo.sha256 == sha256 else {
      throw problem(of: photo, "its bytes are not those that were uploaded")
    }
  }

  private func problem(of photo: Photo, _ reason: String) -> MoveProblem {
    MoveProblem(table: .photos, id: photo.id, "\(reason) (\(photo.loggedID))")
  }
}
