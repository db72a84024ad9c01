import Cryptography
import Platform
import SQL
import SQLite
import SelfieAPI

/// Puts a single photo of a backup back: its row and its file, or only the file where the row is still there.
///
/// Nobody else may use the storage meanwhile.
public struct PhotoRestore: Sendable {
  private let id: String
  private let database: Database
  private let photos: PhotoLibrary
  /// What is taken out of the backup, on the file system of the photos.
  private let source: StorageLayout

  /// - Parameters:
  ///   - id: the photo's random_id.
  ///   - database: of the storage.
  ///   - photos: of the same storage.
  public init(id: String, database: Database, photos: PhotoLibrary) {
    self.id = id
    self.database = database
    self.photos = photos
    source = StorageLayout(folder: photos.files.layout.backupCheck)
  }

  /// Returns once row and file are on the disk. After an error, or a crash and the next start, the storage is as before.
  ///
  /// - Parameters:
  ///   - migrations: the database of the backup must not have had others.
  ///   - progress: called with how many bytes of the archive were read. To throw an error ends the restore.
  /// - Returns: the email address of the photo's user.
  public func run(
    _ archive: BackupArchive, migrations: Migrations, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) async throws -> String {
    let row = try database.read { try PhotoStore.find(randomID: id, on: $0) }
    if let row, try isWhole(row) { throw PhotoNotRestored.isThere(id) }
    guard try archive.contains(.photo(id: id)) else { throw PhotoNotRestored.notInBackup(id) }
    try FileSystem.removeTree(source.folder)
    _ = try FileSystem.makeFolder(source.folder)
    defer { try? FileSystem.removeTree(source.folder) }
    _ = try archive.extract(to: source.folder, progress: progress) { [.database, .photo(id: id)].contains($0) }
    try archive.checkSchema(ofDatabase: source.database, migrations)
    let saved = try savedPhoto()
    if let row { try putFileBack(of: row) } else { try await insert(saved.photo, of: saved.email) }
    return saved.email
  }

  /// Whether the photo has its file, with the bytes that were uploaded.
  private func isWhole(_ photo: Photo) throws -> Bool {
    guard let status = try photos.files.status(id), status.kind == .file, status.byteCount == photo.byteCount else {
      return false
    }
    guard let digest = photo.sha256 else { return true }
    return try photos.files.digest(of: id) == digest
  }

  /// The photo as the backup has it, with its user's email address.
  private func savedPhoto() throws -> (photo: Photo, email: String) {
    let connection = try Connection(path: source.database, mode: .readOnly)
    defer { connection.close() }
    guard let photo = try PhotoStore.find(randomID: id, on: connection),
      let user = try UserStore.find(id: photo.userID, on: connection)
    else { throw PhotoNotRestored.notInBackup(id) }
    try checkFile(of: photo)
    return (photo, user.email)
  }

  /// A backup may have a photo as the storage had damaged it.
  private func checkFile(of photo: Photo) throws {
    let path = source.photo(id)
    guard let file = try FileSystem.open(path), try FileSystem.byteCount(of: file, path: path) == photo.byteCount,
      try photo.sha256.map({ try $0 == SHA256.digest(of: file, path: path) }) ?? true
    else { throw PhotoNotRestored.damaged(id) }
  }

  // MARK: - Changes

  /// The same steps as an upload's (Docs/Durability.md).
  private func insert(_ saved: Photo, of email: String) async throws {
    guard let user = try database.read({ try UserStore.find(email: email, on: $0) }) else {
      throw PhotoNotRestored.noUser(email)
    }
    // The photo may have been deleted, and its file must not be removed for that later on.
    try await photos.purgeDeleted()
    var photo = try photos.files.placeCopy(of: saved, from: BucketFolder(folder: source.photoFolder(of: id)))
    photo.userID = user.id
    do {
      try await database.write { [photo] connection in
        var photo = photo
        if try PhotoStore.exists(id: photo.id, on: connection) { photo.id = 0 }
        try connection.insert(photo)
      }
    } catch {
      let mayHaveRow = (error as? SQLiteError)?.mayBeCommitted ?? false
      if !mayHaveRow { try? photos.files.discard(id) }
      throw error
    }
    // If this fails, the next start does it.
    try? photos.files.removeIncoming(id)
  }

  /// The file is on the disk already, so that its new name leads to all of it whenever the power fails.
  private func putFileBack(of row: Photo) throws {
    try checkFile(of: row)
    try photos.files.makeFolder(of: id)
    try FileSystem.rename(source.photo(id), to: photos.files.path(of: id))
    try photos.files.syncFolders(of: [id])
  }
}

/// Why a photo cannot be put back. Nothing was changed.
public enum PhotoNotRestored: Error, CustomStringConvertible {
  case isThere(String)
  case notInBackup(String)
  case damaged(String)
  case noUser(String)

  public var description: String {
    switch self {
    case .isThere(let id): "The photo \(id) is in the storage, with the bytes that were uploaded."
    case .notInBackup(let id): "The backup has no photo \(id). Photos that were uploaded later are not in it."
    case .damaged(let id):
      "The photo \(id) in the backup has not the bytes that were uploaded: it was damaged before. Use another backup."
    case .noUser(let email):
      "There is no user \(email) any more, to whom the photo belonged. Make one first: user create \(email)"
    }
  }
}
