import Glibc
import Platform
import SQL
package import SQLite
package import SelfieAPI

/// Restores a backup into an empty storage, completely or not at all. `PhotoLibrary.restore` puts a single photo back.
///
/// It extracts everything to `restoring/` and checks it there, then moves it to its place, the database last. As long
/// as that folder has anything in it, ``isUnfinished(in:)`` keeps servers from starting.
package struct StorageRestore {
  /// The names that an empty storage may have: of a lock, a disk's reserve, and an interrupted restore.
  private static let negligible: Set = [StorageLayout.lock, StorageLayout.reserve, StorageLayout.restoring]

  private let target: StorageLayout
  /// Everything that was extracted so far, laid out as in a storage.
  private let source: StorageLayout

  /// - Parameter storage: the folder with the database and the photos.
  package init(storage: String) {
    target = StorageLayout(folder: storage)
    source = StorageLayout(folder: target.restoring)
  }

  /// Whether a restore was interrupted, so that only another restore may use the storage. The caller must hold the
  /// storage's lock.
  package static func isUnfinished(in storage: String) -> Bool {
    // A restore that was interrupted after it moved everything has left the folder empty.
    rmdir(StorageLayout(folder: storage).restoring) != 0 && errno != ENOENT
  }

  /// Throws unless a backup may be restored here. A folder that does not exist counts as empty.
  package func checkEmpty() throws {
    guard try FileSystem.exists(target.folder) else { return }
    let names = Set(try FileSystem.names(in: target.folder)).subtracting(Self.negligible)
    let others = names.subtracting(try placed()).filter { !StorageLayout.isNegligible($0) }.sorted()
    guard !others.isEmpty else { return }
    let some = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? " and more" : "")
    throw OperationError(
      "\(target.folder) is not empty: it has \(some). Move that away, or set STORAGE_DIR to another folder.")
  }

  /// The names that an interrupted restore has already moved. The database is moved last, so it is still in
  /// `restoring/`.
  private func placed() throws -> Set<String> {
    guard try FileSystem.exists(source.database) else { return [] }
    return Set(try Self.placedFirst.filter { try !FileSystem.exists(source.path($0)) })
  }

  private static let placedFirst = [StorageLayout.photos, StorageLayout.incoming, StorageLayout.credentials]

  /// Returns once everything is on the disk and a server can start. After an error the storage is as empty as before.
  ///
  /// No other process may use the storage meanwhile.
  ///
  /// - Parameter progress: receives how many bytes of the archive were read. An error that it throws ends the restore.
  package func run(
    _ archive: BackupArchive, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    try checkEmpty()
    do {
      try clear()
      _ = try FileSystem.makeFolder(source.folder)
      // No server could start on a file system without hard links.
      try PhotoFiles(storage: source.folder).prepare()
      try OperationError.checkRoom(archive.byteCount, at: target.folder, for: "what is restored")
      var summary = try archive.extract(to: source.folder, migrations: .sqlite, progress: progress) { _ in true }
      if try !CredentialsFile.keep(in: source, skip: archive.skip) { summary.hasCredentials = false }
      try place()
      return summary
    } catch {
      try? clear()
      throw error
    }
  }

  private func place() throws {
    try FileSystem.syncFolder(source.folder)
    try FileSystem.syncFolder(target.folder)
    for name in Self.placedFirst where try FileSystem.exists(source.path(name)) {
      try FileSystem.rename(source.path(name), to: target.path(name))
    }
    try FileSystem.syncFolder(target.folder)
    try FileSystem.rename(source.database, to: target.database)
    try FileSystem.syncFolder(source.folder)
    try FileSystem.syncFolder(target.folder)
    rmdir(source.folder)
  }

  /// Removes what an interrupted restore has left.
  private func clear() throws {
    for name in try placed() { try FileSystem.removeTree(target.path(name)) }
    try FileSystem.removeTree(source.folder)
  }
}

// Puts a single photo of a backup back: its row and its file, or only the file where the row is still there.
// `StorageRestore` restores a whole backup.
extension PhotoLibrary {
  /// Returns once row and file are on the disk. After an error, or a crash and the next start, the storage is as before.
  ///
  /// No other process may use the storage meanwhile.
  ///
  /// - Parameters:
  ///   - id: the photo's random_id.
  ///   - archive: one that skips what is damaged needs only this photo to be intact.
  ///   - database: of this library.
  ///   - progress: receives how many bytes of the archive were read. An error that it throws ends the restore.
  /// - Returns: the email address of the photo's user.
  package func restore(
    _ id: String, from archive: BackupArchive, database: Database,
    progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) async throws -> String {
    let row = try database.read { try $0.first(PhotoStore.photo(randomID: id), as: Photo.self) }
    if let row, case .sound = try await files.condition(of: row, reads: true) {
      throw OperationError("The photo \(id) is in the storage and intact: there is nothing to restore.")
    }
    // On the file system of the photos.
    let source = StorageLayout(folder: files.layout.backupCheck)
    try FileSystem.removeTree(source.folder)
    _ = try FileSystem.makeFolder(source.folder)
    defer { try? FileSystem.removeTree(source.folder) }
    _ = try archive.extract(to: source.folder, migrations: .sqlite, progress: progress) { $0 == .photo(id: id) }
    let saved = try Self.saved(id, in: source)
    try await Self.checkFile(of: saved.photo, in: source)
    if let row {
      try await Self.checkFile(of: row, in: source)
      // The file is on the disk already, so that its new name leads to all of it whenever the power fails.
      try files.makeFolder(of: id)
      try FileSystem.rename(source.photo(id), to: files.path(of: id))
      try files.syncFolders(of: [id])
    } else {
      try await insert(saved.photo, of: saved.email, from: source, into: database)
    }
    return saved.email
  }

  /// The photo as the backup has it, with its user's email address.
  private static func saved(_ id: String, in source: StorageLayout) throws -> (photo: Photo, email: String) {
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
  private static func checkFile(of photo: Photo, in source: StorageLayout) async throws {
    if case .sound = try await PhotoFiles(storage: source.folder).condition(of: photo, reads: true) { return }
    throw OperationError("The photo \(photo.randomID) is damaged in this backup. Use another backup.")
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
