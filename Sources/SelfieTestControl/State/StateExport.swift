import Cryptography
import SQLite
import SelfieAPI

extension StoredState {
  /// Exports everything that is stored at one instant. Photos are exported with their SHA-256 only. While the server runs,
  /// it keeps the bytes for the last hundred exports, so that ``importState(_:)`` finds them after a reset.
  public func exportState() async throws -> StateDocument {
    let document = try await captureState()
    let digests = document.photos.compactMap(\.content.sha256)
    do {
      try await photos.pool.run { blobs.keepForExport(digests) }
    } catch {
      // The pool is full. The export is not returned, so it cannot be imported.
      blobs.release(digests)
      throw error
    }
    return document
  }

  /// Exports like ``exportState()``, except that the caller must release the blobs of the photos.
  func captureState() async throws -> StateDocument {
    try await photos.lock.withExclusive {
      try await photos.pool.run {
        var (document, rows) = try Self.read(database)
        for photo in rows {
          do {
            document.photos.append(try captured(photo))
          } catch {
            blobs.release(document.photos.compactMap(\.content.sha256))
            throw error
          }
        }
        return document
      }
    }
  }

  private static func read(_ database: Database) throws -> (StateDocument, [Photo]) {
    try database.read { connection in
      try connection.snapshot {
        let document = StateDocument(
          users: try UserStore.all(on: connection), tokens: try TokenStore.all(on: connection),
          notes: try NoteStore.all(on: connection), microblog: try MicroblogState(on: connection),
          lastUserID: try UserStore.lastID(on: connection), lastPhotoID: try PhotoStore.lastID(on: connection),
          lastNoteID: try NoteStore.lastID(on: connection))
        return (document, try PhotoStore.all(on: connection))
      }
    }
  }

  /// Exports a photo and retains its blob.
  private func captured(_ photo: Photo) throws -> StateDocument.Photo {
    guard let status = try photos.files.status(photo.randomID), status.byteCount == photo.byteCount,
      let sha256 = try photo.sha256 ?? photos.files.digest(of: photo.randomID)
    else {
      throw StateError(
        .conflict, "The file of the photo \(photo.randomID) is missing or has another length, so there is no export.")
    }
    let content = Blob(
      sha256: sha256, byteCount: status.byteCount, type: ContentType(name: photo.contentType))
    try blobs.retain(content, at: photos.files.path(of: photo.randomID))
    return StateDocument.Photo(
      id: photo.id, randomID: photo.randomID, userID: photo.userID, name: photo.name, title: photo.title,
      contentType: photo.contentType, byteCount: photo.byteCount, createdAt: photo.createdAt,
      updatedAt: photo.updatedAt, content: .kept(sha256: sha256))
  }
}
