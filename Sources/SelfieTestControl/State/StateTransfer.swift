import Cryptography
import Platform
import SQLite
import SelfieAPI

// Exports and imports of everything that is stored.

extension StoredState {
  package typealias FileOpener = @Sendable (_ path: String) throws(NoPlainFile) -> PlainFile

  /// Exports everything that is stored at one instant. Photos are exported with their SHA-256 only. While the server runs,
  /// it keeps the bytes for the last hundred exports, so that ``importState(_:)`` finds them after a reset.
  public func exportState() async throws -> StateDocument {
    try await captureState(keepsBlobs: true).document
  }

  /// Exports like ``exportState()``.
  ///
  /// - Parameter keepsBlobs: whether to keep the blobs for a later import.
  /// - Returns: also the blobs of the photos.
  func captureState(keepsBlobs: Bool = false) async throws -> (document: StateDocument, blobs: [Blob]) {
    try await photos.lock.withExclusive {
      try await photos.pool.run {
        var (document, rows) = try database.read { connection in
          try connection.snapshot {
            (try StateDocument(on: connection), try connection.all(PhotoStore.page(max: .max), as: Photo.self))
          }
        }
        var kept: [Blob] = []
        for var photo in rows {
          let blob = try blob(of: photo)
          kept.append(blob)
          photo.sha256 = blob.sha256
          document.photos.append(StateDocument.Photo(photo))
        }
        if keepsBlobs { blobs.keepForExport(kept) }
        return (document, kept)
      }
    }
  }

  private func blob(of photo: Photo) throws -> Blob {
    guard let status = try photos.files.status(photo.randomID), status.byteCount == photo.byteCount,
      let sha256 = try photo.sha256 ?? photos.files.digest(of: photo.randomID)
    else {
      throw ControlError(
        .conflict, "The file of the photo \(photo.randomID) is missing or has another length, so there is no export.")
    }
    return try blobs.blob(
      of: photos.files.path(of: photo.randomID), sha256, byteCount: status.byteCount,
      type: ContentType(name: photo.contentType))
  }

  /// Replaces everything that is stored, in one step. Failed sign-ins are forgotten.
  ///
  /// - Parameter open: opens the files that the document names.
  /// - Returns: how much is stored now.
  /// - Throws: `ControlError` with everything that is wrong with the document. Nothing is changed then.
  @discardableResult
  package func importState(
    _ document: StateDocument, open: @escaping FileOpener = { path throws(NoPlainFile) in try PlainFile(path: path) }
  ) async throws -> StateCounts {
    try await application.lists.run { try document.check() }
    let imported = try await photos.pool.run { try contents(of: document.photos, open) }
    await generations.next()
    try await photos.lock.withExclusive {
      try await photos.place(imported.map { ($0.row.randomID, $0.blob) }) {
        try await database.write { try $0.replaceAll(by: document, imported.map(\.row)) }
      }
      try await photos.bytes.purge()
    }
    application.limits.forgetAll()
    return document.counts
  }

  /// The whole rows of all photos, and their blobs.
  ///
  /// - Throws: `ControlError` with all photos whose bytes are missing or wrong.
  private func contents(
    of photos: [StateDocument.Photo], _ open: FileOpener
  ) throws -> [(row: Photo, blob: Blob)] {
    var contents: [(row: Photo, blob: Blob)] = []
    var problems: [String] = []
    for photo in photos {
      var row = photo.row
      do {
        let blob = try blob(of: photo, open)
        if let sha256 = row.sha256, sha256 != blob.sha256 {
          problems.append("The photo \(row.randomID) has a SHA-256 that differs from the document's.")
        }
        if row.byteCount >= 0, row.byteCount != blob.byteCount {
          problems.append(
            "The photo \(row.randomID) has \(blob.byteCount) bytes, but the document says \(row.byteCount).")
        }
        (row.byteCount, row.sha256) = (blob.byteCount, blob.sha256)
        if row.contentType.isEmpty { row.contentType = blob.type.name }
        contents.append((row, blob))
      } catch let error as NoPlainFile {
        problems.append("The photo \(row.randomID) has no content: \(error.reason).")
      }
    }
    guard problems.isEmpty else { throw ControlError(.invalid, problems) }
    return contents
  }

  private func blob(of photo: StateDocument.Photo, _ open: FileOpener) throws -> Blob {
    let maxBytes = Int64(application.settings.maxPhotoBytes)
    func check(_ byteCount: Int64) throws {
      guard byteCount <= maxBytes else { throw NoPlainFile("it has \(byteCount) bytes, more than \(maxBytes)") }
    }
    if let bytes = photo.bytes {
      try check(Int64(bytes.count))
      return try blobs.blob(of: bytes)
    }
    guard let path = photo.path else {
      if let blob = photo.row.sha256.flatMap(blobs.blob) { return blob }
      throw NoPlainFile(
        "the server has no photo with this SHA-256. It keeps the photos of its last \(BlobStore.maxExports) exports; "
          + "pass others by path or base64")
    }
    let file = try open(path)
    try check(file.byteCount)
    do {
      return try blobs.blob(copying: file, named: path, upTo: maxBytes)
    } catch let error as FileError where error.path == file.path {
      throw NoPlainFile("\(path) cannot be read (\(error.withoutPath))")
    }
  }
}
