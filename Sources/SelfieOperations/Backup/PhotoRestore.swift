import Platform
import SQL
package import SQLite
package import SelfieAPI

/// Puts a single photo of a backup back: its row and its file, or only the file where the row is still there.
/// `StorageRestore` restores a whole backup.
///
/// No other process may use the storage meanwhile.
package struct PhotoRestore: Sendable {
  private let id: String
  private let database: Database
  private let photos: PhotoLibrary
  /// Where the backup is extracted, on the file system of the photos.
  private let source: StorageLayout

  /// - Parameters:
  ///   - id: the photo's random_id.
  ///   - database: of the storage.
  ///   - photos: of the same storage.
  package init(id: String, database: Database, photos: PhotoLibrary) {
    self.id = id
    self.database = database
    self.photos = photos
    source = StorageLayout(folder: photos.files.layout.backupCheck)
  }

  /// Returns once row and file are on the disk. After an error, or a crash and the next start, the storage is as before.
  ///
  /// - Parameters:
  ///   - archive: one that skips what is damaged needs only this photo to be intact.
  ///   - progress: receives how many bytes of the archive were read. An error that it throws ends the restore.
  /// - Returns: the email address of the photo's user.
  package func run(
    _ archive: BackupArchive, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) async throws -> String {
    let row = try database.read { try $0.first(PhotoStore.photo(randomID: id), as: Photo.self) }
    if let row, case .sound = try await photos.files.condition(of: row, reads: true) {
      throw OperationError("The photo \(id) is in the storage and intact: there is nothing to restore.")
    }
    try FileSystem.removeTree(source.folder)
    _ = try FileSystem.makeFolder(source.folder)
    defer { try? FileSystem.removeTree(source.folder) }
    _ = try archive.extract(to: source.folder, migrations: .sqlite, progress: progress) { $0 == .photo(id: id) }
    let saved = try savedPhoto()
    try await checkFile(of: saved.photo)
    if let row { try await putFileBack(of: row) } else { try await insert(saved.photo, of: saved.email) }
    return saved.email
  }

  /// The photo as the backup has it, with its user's email address.
  private func savedPhoto() throws -> (photo: Photo, email: String) {
    let connection = try Connection(path: source.database, mode: .readOnly)
    defer { connection.close() }
    guard let photo = try connection.first(PhotoStore.photo(randomID: id), as: Photo.self),
      let user = try connection.first(UserStore.user(id: photo.userID), as: User.self)
    else {
      throw OperationError(
        "The backup has no photo \(id), or has it damaged. Photos that were uploaded later are not in it.")
    }
    return (photo, user.email)
  }

  /// A backup may have a photo as the storage had damaged it.
  private func checkFile(of photo: Photo) async throws {
    if case .sound = try await PhotoFiles(storage: source.folder).condition(of: photo, reads: true) { return }
    throw OperationError(
      "The photo \(id) is damaged in this backup. Use another backup.")
  }

  // MARK: - Changes

  /// Takes the steps of an upload (Docs/Durability.md).
  private func insert(_ saved: Photo, of email: String) async throws {
    guard let user = try database.read({ try $0.first(UserStore.user(email: email), as: User.self) }) else {
      throw OperationError(
        "The photo's user, \(email), no longer exists. Create it first: selfie-server user create \(email)")
    }
    // The photo may have been deleted, and its file must not be removed for that later on.
    try await photos.purgeDeleted()
    var photo = try photos.files.place(saved, copiedFrom: PlainFile(path: source.photo(id)))
    photo.userID = user.id
    do {
      try await ApplicationDatabase.file(database).insert(copiesOf: [id], in: photos.files) { [photo] tx in
        var photo = photo
        if try tx.exists(PhotoStore.photo(id: photo.id)) { photo.id = 0 }
        try tx.insert(photo)
      }
    } catch {
      let mayHaveRow = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRow { try? photos.files.discard(id) }
      throw error
    }
  }

  /// The file is on the disk already, so that its new name leads to all of it whenever the power fails.
  private func putFileBack(of row: Photo) async throws {
    try await checkFile(of: row)
    try photos.files.makeFolder(of: id)
    try FileSystem.rename(source.photo(id), to: photos.files.path(of: id))
    try photos.files.syncFolders(of: [id])
  }
}
