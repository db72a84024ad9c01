import Cryptography
import HTTPMessages
import Platform
import SQL
import SelfieAPI

/// Copies photos' bytes between a folder and an object store, and reads each copy. Move.swift inserts the rows.
extension Move {
  /// Returns the photo with its digest, once the copy was read and is the same.
  ///
  /// - Throws: `MoveProblem` if the source does not have the bytes that were uploaded.
  func copy(_ photo: Photo) async throws -> Photo {
    var photo = photo
    photo.sha256 = try await toCluster ? upload(photo) : download(photo)
    return photo
  }

  private func upload(_ photo: Photo) async throws -> [UInt8] {
    let (id, files) = (photo.randomID, files)
    let (file, sha256) = try await pool.run {
      do {
        guard let found = try files.open(id) else { throw problem(of: photo, "its file is missing") }
        let sha256 = try SHA256.digest(of: found.file, path: found.path)
        try check(photo, byteCount: found.byteCount, sha256: sha256)
        return (found.file, sha256)
      } catch let error as FileError {
        throw problem(of: photo, "its file cannot be read: \(error.reason)")
      }
    }
    // An earlier run may have stored it, and have ended before it inserted the row.
    if try await objects.size(id) == photo.byteCount, try await objects.digest(of: photo) == sha256 { return sha256 }
    _ = try await objects.put(id, file, byteCount: photo.byteCount, sha256: sha256, flow: Flow())
    return try checked(photo, copy: await objects.digest(of: photo), sha256)
  }

  private func download(_ photo: Photo) async throws -> [UInt8] {
    let (id, files) = (photo.randomID, files)
    guard let byteCount = try await objects.size(id) else { throw problem(of: photo, "its object is missing") }
    let digest = SHA256()
    var partial = try await pool.run {
      // A file without a row is of an earlier run.
      try files.discard(id)
      return try files.write([], of: id, to: nil)
    }
    try await objects.forEachPiece(of: id, byteCount: byteCount) { bytes in
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
    return try checked(photo, copy: copy, sha256)
  }

  private func checked(_ photo: Photo, copy: [UInt8]?, _ sha256: [UInt8]) throws -> [UInt8] {
    guard copy == sha256 else {
      throw OperationError(
        "The copy of the photo \(photo.loggedID) differs from the original. Nothing refers to it. Run this again.")
    }
    return sha256
  }

  private func check(_ photo: Photo, byteCount: Int64, sha256: [UInt8]) throws {
    guard byteCount == photo.byteCount else {
      throw problem(of: photo, "it has \(counted(byteCount, "byte")), but \(photo.byteCount) were uploaded")
    }
    guard photo.sha256 == nil || photo.sha256 == sha256 else {
      throw problem(of: photo, "its bytes differ from those that were uploaded")
    }
  }

  private func problem(of photo: Photo, _ reason: String) -> MoveProblem {
    MoveProblem(table: MovedTable.photos.name, id: photo.id, reason: "\(reason) (\(photo.loggedID))")
  }
}

extension PhotoObjects {
  /// Reads an object piece by piece, so that a long one takes no more memory than a short one.
  ///
  /// - Parameter byteCount: of the object.
  func forEachPiece(of id: String, byteCount: Int64, _ body: ([UInt8]) async throws -> Void) async throws {
    var offset: Int64 = 0
    while offset < byteCount {
      let end = offset + min(byteCount - offset, Int64(BodyStream.maxPieceBytes))
      try await body(get(id, offset..<end, flow: Flow()))
      offset = end
    }
  }

  /// The SHA-256 of a photo's object, which has as many bytes as the photo.
  func digest(of photo: Photo) async throws -> [UInt8] {
    let digest = SHA256()
    try await forEachPiece(of: photo.randomID, byteCount: photo.byteCount) { digest.update($0) }
    return digest.finish()
  }
}

/// Photos are copied before their rows are inserted, so that after a crash no row lacks its bytes. `Move` above
/// copies the bytes.
extension ApplicationDatabase {
  /// Notes photos that are about to be copied to an object store, whose servers delete the objects that get no row. Files
  /// need no note: the next start finds those without a row.
  func noteCopies(of ids: [String]) async throws {
    guard shared != nil, !ids.isEmpty else { return }
    try await write(about: .all) { try $0.noteUploads(ids) }
  }

  /// Runs `body`, which inserts the rows of copied photos, in a transaction, and ends their uploads.
  ///
  /// - Parameter files: where the copies are; nil if they are objects.
  func insert(
    copiesOf ids: [String], in files: PhotoFiles?, _ body: @escaping @Sendable (any Transaction) throws -> Void
  ) async throws {
    try await write(about: .all) { tx in
      try body(tx)
      if files == nil { try tx.forgetUploads(ids) }
    }
    // If this fails, the next start removes the names.
    for id in ids { try? files?.removeIncoming(id) }
  }
}
