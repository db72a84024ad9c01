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
    try await captureState { blobs.keepForExport($0) }
  }

  /// Exports like ``exportState()``.
  ///
  /// - Parameter keep: receives the digests of the photos' blobs, which it must release in the end. If it is nil, the
  ///   caller must.
  func captureState(keep: (@Sendable ([[UInt8]]) -> Void)? = nil) async throws -> StateDocument {
    try await photos.lock.withExclusive {
      try await photos.pool.run {
        var (document, rows) = try database.read { connection in
          try connection.snapshot {
            (try StateDocument(on: connection), try connection.all(PhotoStore.page(max: .max), as: Photo.self))
          }
        }
        let retained = try blobs.retainAll { retained in
          for var photo in rows {
            let content = try content(of: photo)
            try blobs.retain(content, at: photos.files.path(of: photo.randomID))
            retained.append(content)
            photo.sha256 = content.sha256
            document.photos.append(StateDocument.Photo(photo))
          }
        }
        keep?(retained.map(\.sha256))
        return document
      }
    }
  }

  private func content(of photo: Photo) throws -> Blob {
    guard let status = try photos.files.status(photo.randomID), status.byteCount == photo.byteCount,
      let sha256 = try photo.sha256 ?? photos.files.digest(of: photo.randomID)
    else {
      throw ControlError(
        .conflict, "The file of the photo \(photo.randomID) is missing or has another length, so there is no export.")
    }
    return Blob(sha256: sha256, byteCount: status.byteCount, type: ContentType(name: photo.contentType))
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
    let photos = photos
    try await withBlobs {
      try retain(document.photos, in: &$0, open)
    } do: { contents in
      let rows = zip(document.photos, contents).map(Self.row)
      let placings: [PhotoLibrary.Placing] = zip(rows, contents).map { ($0.randomID, $1.sha256) }
      try await photos.lock.withExclusive {
        try await photos.place(placings, from: blobs) {
          try await database.write { try $0.replaceAll(by: document, rows) }
        }
        try await photos.bytes.purge()
      }
    }
    application.limits.forgetAll()
    return document.counts
  }

  /// Retains the blobs of all photos, in their order.
  ///
  /// - Throws: `ControlError` with all photos whose bytes are missing or wrong.
  private func retain(_ photos: [StateDocument.Photo], in retained: inout [Blob], _ open: FileOpener) throws {
    var problems: [String] = []
    for photo in photos {
      let content: Blob
      do {
        content = try retain(photo, open)
      } catch let error as NoPlainFile {
        problems.append("The photo \(photo.row.randomID) has no content: \(error.reason).")
        continue
      }
      retained.append(content)
      let row = photo.row
      if let sha256 = row.sha256, sha256 != content.sha256 {
        problems.append("The photo \(row.randomID) has a SHA-256 that differs from the document's.")
      }
      if row.byteCount >= 0, row.byteCount != content.byteCount {
        problems.append(
          "The photo \(row.randomID) has \(content.byteCount) bytes, but the document says \(row.byteCount).")
      }
    }
    guard problems.isEmpty else { throw ControlError(.invalid, problems) }
  }

  private func retain(_ photo: StateDocument.Photo, _ open: FileOpener) throws -> Blob {
    let maxBytes = Int64(application.settings.maxPhotoBytes)
    func check(_ byteCount: Int64) throws {
      guard byteCount <= maxBytes else { throw NoPlainFile("it has \(byteCount) bytes, more than \(maxBytes)") }
    }
    if let bytes = photo.bytes {
      try check(Int64(bytes.count))
      return try blobs.retain(bytes)
    }
    guard let path = photo.path else {
      if let content = photo.row.sha256.flatMap(blobs.retain) { return content }
      throw NoPlainFile(
        "the server has no photo with this SHA-256. It keeps the photos of its last \(BlobStore.maxExports) exports; "
          + "pass others by path or base64")
    }
    let file = try open(path)
    try check(file.byteCount)
    do {
      return try blobs.retain(copyOf: file, named: path, upTo: maxBytes)
    } catch let error as FileError where error.path == file.path {
      throw NoPlainFile("\(path) cannot be read (\(error.withoutPath))")
    }
  }

  private static func row(of photo: StateDocument.Photo, _ content: Blob) -> Photo {
    var row = photo.row
    (row.byteCount, row.sha256) = (content.byteCount, content.sha256)
    if row.contentType.isEmpty { row.contentType = content.type.name }
    return row
  }
}
