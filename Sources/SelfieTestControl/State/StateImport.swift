import Platform
import SQLite
import SelfieAPI

extension StoredState {
  /// Replaces everything that is stored, in one step. Failed sign-ins are forgotten.
  ///
  /// - Returns: how much is stored now.
  /// - Throws: `StateError` with everything that is wrong with the document. Nothing is changed then.
  @discardableResult
  public func importState(_ document: StateDocument) async throws -> StateCounts {
    try await importState(document) { path throws(NoPlainFile) in try PlainFile(path: path) }
  }

  /// As `importState(_:)`.
  ///
  /// - Parameter open: opens the files that the document names.
  @discardableResult
  func importState(_ document: StateDocument, open: @escaping FileOpener) async throws -> StateCounts {
    try await application.onWorker { try StateValidator(document).check() }
    let limit = Int64(application.settings.maxPhotoBytes)
    try await withBlobs {
      try [retain(document.photos, maxBytes: limit, open)]
    } do: { blobs in
      try await replaceAll(by: document, blobs.flatMap(\.self))
    }
    application.resetLimits()
    return document.counts
  }

  private func replaceAll(by document: StateDocument, _ blobs: [Blob]) async throws {
    let (database, photos, now) = (database, photos, application.clock())
    let records = zip(document.photos, blobs).map { $0.record(with: $1, now: now) }
    try await photos.lock.withExclusive {
      try await photos.place(zip(records, blobs).map { ($0.randomID, $1.sha256) }, from: self.blobs) {
        try await database.write { try Self.replaceAll(by: document, records, on: $0) }
      }
      try await photos.bytes.purge()
    }
  }

  private static func replaceAll(
    by document: StateDocument, _ photos: [Photo], on connection: Connection
  ) throws {
    _ = try removeAll(on: connection)
    for user in document.users { try connection.insert(user) }
    for token in document.tokens { try connection.insert(token) }
    try connection.insert(photos)
    try connection.insert(document.notes)
    try document.microblog.insert(on: connection)
    try UserStore.setLastID(max(document.lastUserID ?? 0, UserStore.lastID(on: connection)), on: connection)
    try PhotoStore.setLastID(max(document.lastPhotoID ?? 0, PhotoStore.lastID(on: connection)), on: connection)
    try NoteStore.setLastID(max(document.lastNoteID ?? 0, NoteStore.lastID(on: connection)), on: connection)
  }
}

extension StateDocument.Photo {
  /// The record of the photo with the bytes of a blob.
  fileprivate func record(with content: Blob, now: Int64) -> Photo {
    Photo(
      id: id ?? 0, randomID: randomID, userID: userID, name: name, title: title, byteCount: content.byteCount,
      contentType: contentType ?? content.type.name, createdAt: createdAt ?? now, updatedAt: updatedAt,
      sha256: content.sha256)
  }
}

extension StoredState {
  typealias FileOpener = @Sendable (_ path: String) throws(NoPlainFile) -> PlainFile

  /// Retains the blobs of all photos, in their order.
  ///
  /// - Throws: `StateError` with all photos whose bytes are missing or wrong. No blob is retained then.
  private func retain(_ photos: [StateDocument.Photo], maxBytes: Int64, _ open: FileOpener) throws -> [Blob] {
    var retained: [Blob] = []
    var problems: [String] = []
    do {
      for photo in photos {
        let content: Blob
        switch try find(photo.content, maxBytes: maxBytes, open) {
        case .success(let found): content = found
        case .failure(let missing):
          problems.append("The photo \(photo.randomID) has no content: \(missing.why).")
          continue
        }
        retained.append(content)
        if let sha256 = photo.content.sha256, sha256 != content.sha256 {
          problems.append("The photo \(photo.randomID) has another SHA-256 than the document says.")
        }
        if let byteCount = photo.byteCount, byteCount != content.byteCount {
          problems.append(
            "The photo \(photo.randomID) has \(content.byteCount) bytes, and the document says \(byteCount).")
        }
      }
      guard problems.isEmpty else { throw StateError(.invalid, problems) }
      return retained
    } catch {
      blobs.release(retained.map(\.sha256))
      throw error
    }
  }

  private struct Missing: Error {
    let why: String
  }

  private func find(
    _ content: StateDocument.Content, maxBytes: Int64, _ open: FileOpener
  ) throws -> Result<Blob, Missing> {
    func checked(_ byteCount: Int64) -> Missing? {
      byteCount <= maxBytes ? nil : Missing(why: "it has \(byteCount) bytes, more than \(maxBytes)")
    }
    switch content {
    case .kept(let sha256):
      if let content = blobs.retain(sha256) { return .success(content) }
      return .failure(
        Missing(
          why:
            "the server keeps none of this SHA-256. It keeps those of its last \(BlobStore.maxExports) exports; "
            + "give others by path or base64"))
    case .bytes(let bytes, _):
      if let missing = checked(Int64(bytes.count)) { return .failure(missing) }
      return .success(try blobs.retain(bytes))
    case .file(let path, _):
      let file: PlainFile
      do {
        file = try open(path)
      } catch {
        return .failure(Missing(why: error.reason))
      }
      if let missing = checked(file.byteCount) { return .failure(missing) }
      do {
        return .success(try blobs.retain(copyOf: file, upTo: maxBytes))
      } catch is PhotoTooLarge {
        return .failure(Missing(why: "\(path) has more than \(maxBytes) bytes"))
      } catch let error as FileError where error.path == file.path {
        return .failure(Missing(why: "\(path) cannot be read (\(error.withoutPath))"))
      }
    }
  }
}
