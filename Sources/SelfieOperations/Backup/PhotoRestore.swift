import Platform
import SQL
package import SQLite
package import SelfieAPI

// Puts a single photo of a backup back: its row and its file, or only the file where the row is still there.
// `StorageRestore` restores a whole backup.
extension PhotoLibrary {
  /// Returns once row and file are on the disk. After an error, or a crash and the next start, the storage is as before.
  ///
  /// No other process may use the storage meanwhile.
  ///
  /// - Parameters:
  ///   - id: the photo's random_id.
  ///   - sources: backups, of which the first is used that has the photo whole.
  ///   - database: of this library.
  package func restore(
    _ id: String, from sources: [BackupSource], database: Database
  ) async throws -> RestoredPhoto {
    let row = try database.read { try $0.first(PhotoStore.photo(randomID: id), as: Photo.self) }
    if let row, case .sound = try await files.condition(of: row, reads: true) {
      throw OperationError("The photo \(id) is in the storage and intact: there is nothing to restore.")
    }
    // On the file system of the photos.
    let work = StorageLayout(folder: files.layout.backupCheck)
    var failure: (any Error)?
    for source in sources {
      try FileSystem.removeTree(work.folder)
      _ = try FileSystem.makeFolder(work.folder)
      defer { try? FileSystem.removeTree(work.folder) }
      let saved: SavedPhoto
      do { saved = try source.extract(id, to: work) } catch {
        failure = failure ?? error
        continue
      }
      if let row {
        let isSame = row.sha256 == nil || row.sha256 == saved.photo.sha256
        guard isSame, row.byteCount == saved.photo.byteCount else {
          failure = OperationError("\(source.path) has other bytes under the id \(id) than the storage's row says.")
          continue
        }
        // The file is on the disk already, so that its new name leads to all of it whenever the power fails.
        try files.makeFolder(of: id)
        try FileSystem.rename(work.photo(id), to: files.path(of: id))
        try files.syncFolders(of: [id])
      } else {
        try await insert(saved.photo, of: saved.email, from: work, into: database)
      }
      return RestoredPhoto(email: saved.email, source: source)
    }
    throw failure ?? OperationError("There is no backup.")
  }

  /// Takes the steps of an upload (Docs/Durability.md).
  private func insert(
    _ saved: Photo, of email: String, from source: StorageLayout, into database: Database
  ) async throws {
    guard let user = try database.read({ try $0.first(UserStore.user(email: email), as: User.self) }) else {
      throw OperationError(
        "The photo's user, \(email), no longer exists. Create it first: selfie-server user create \(email)")
    }
    // The photo may have been deleted, and its file must not be removed for that later on.
    try await purgeDeleted()
    let id = saved.randomID
    var photo = try files.place(saved, copiedFrom: PlainFile(path: source.photo(id)))
    photo.userID = user.id
    do {
      try await ApplicationDatabase.file(database).insert(copiesOf: [id], in: files) { [photo] tx in
        var photo = photo
        if try tx.exists(PhotoStore.photo(id: photo.id)) { photo.id = 0 }
        try tx.insert(photo)
      }
    } catch {
      let mayHaveRow = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRow { try? files.discard(id) }
      throw error
    }
  }
}

/// A photo that is back.
package struct RestoredPhoto {
  /// The address of its user.
  package let email: String
  /// The backup that was used.
  package let source: BackupSource
}

/// A photo of a backup, with its digest.
private struct SavedPhoto {
  let photo: Photo
  /// The address of its user.
  let email: String
}

extension BackupSource {
  /// Extracts a photo and its row, once its bytes were compared with its digest.
  ///
  /// - Parameter target: an empty folder.
  fileprivate func extract(_ id: String, to target: StorageLayout) throws -> SavedPhoto {
    try copyDatabase(to: target.database, skipsDamaged: true)
    try requireOwnSchema(target.database)
    let connection = try Connection(path: target.database, mode: .immutable)
    defer { connection.close() }
    guard var photo = try connection.first(PhotoStore.photo(randomID: id), as: Photo.self),
      let user = try connection.first(UserStore.user(id: photo.userID), as: User.self)
    else {
      throw OperationError(
        "The backup \(path) has no photo \(id). Photos that were uploaded later are not in it.")
    }
    guard let part = try part(of: photo), part.byteCount == photo.byteCount else { throw damaged(id) }
    for folder in [target.photos, target.photoFolder(of: id)] { _ = try FileSystem.makeFolder(folder) }
    let sha256 = try part.copy(to: target.photo(id))
    guard photo.sha256 == nil || photo.sha256 == sha256 else { throw damaged(id) }
    photo.sha256 = sha256
    return SavedPhoto(photo: photo, email: user.email)
  }

  private func part(of photo: Photo) throws -> FilePart? {
    switch self {
    case .moment(let moment): return PhotoPool(of: moment.folder).part(of: photo.randomID)
    case .archive(let archive):
      var found: FilePart?
      try archive.forEachPhoto { id, part in if id == photo.randomID { found = found ?? part } }
      return found
    }
  }

  private func damaged(_ id: String) -> OperationError {
    OperationError("The photo \(id) is missing or damaged in the backup \(path). Use another backup.")
  }
}
