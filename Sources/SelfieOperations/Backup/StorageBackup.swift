import Cryptography
import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// Backs up a whole storage, whether a server runs or not, as a `Moment` in a folder or as one tar archive. The storage need
/// have no room, and may be read-only.
///
/// First it copies the database as of one instant, and checks the copy: a damaged one is no backup. Then come the photos in
/// it. A photo's file never changes and is stored before its row. So a file that is missing was deleted meanwhile, and its
/// row is removed from the copy, as if the photo had been deleted before.
package struct StorageBackup {
  /// Receives how far the backup has come, and whether it reads the storage's database, whose log then grows.
  package typealias Report = (_ progress: Progress, _ readsDatabase: Bool) throws -> Void

  let layout: StorageLayout
  let now: Int64
  let report: Report
  /// Receives each row that belongs to nobody, what the folder of backups has lost, and each photo that an archive lacks. What
  /// a moment lacks is in its description.
  let warn: (_ problem: String) -> Void
  var files: PhotoFiles { PhotoFiles(storage: layout.folder) }

  /// - Parameters:
  ///   - storage: the folder with the database and the photos.
  ///   - now: in Unix milliseconds.
  ///   - report: may throw an error to end the backup.
  package init(
    storage: String, now: Int64, report: @escaping Report = { _, _ in }, warn: @escaping (String) -> Void = { _ in }
  ) {
    layout = StorageLayout(folder: storage)
    (self.now, self.report, self.warn) = (now, report, warn)
  }

  /// The identity of the storage, which names its folder of backups.
  package func identity() throws -> String {
    guard try FileSystem.exists(layout.database) else { throw OperationError.noStorage(in: layout.folder) }
    let connection = try Connection(path: layout.database, mode: .readOnly)
    defer { connection.close() }
    return connection.storageIdentity ?? BackupFolder.unknownStorage
  }

  /// Runs `body` with the storage's database, and a checked copy of it at `path`.
  func withCopy<Result>(at path: String, _ body: (_ copy: Connection, _ source: Connection) throws -> Result) throws
    -> Result
  {
    guard try FileSystem.exists(layout.database) else { throw OperationError.noStorage(in: layout.folder) }
    do {
      let source = try Connection(path: layout.database, mode: .readOnly)
      defer { source.close() }
      try source.copy(to: path) { try report(Progress("Copying the database", bytes: $0, of: $1), true) }
      let copy = try Connection(path: path, mode: .exclusive)
      defer { copy.close() }
      try report(Progress("Checking the database", bytes: copy.byteCount()), false)
      if let problem = try copy.integrityProblems().first { throw OperationError.damagedDatabase(layout, problem) }
      for orphan in try copy.foreignKeyProblems() { warn("\(orphan). It is in the backup.") }
      return try body(copy, source)
    } catch DatabaseError.outOfOrder {
      throw OperationError.damagedDatabase(layout, "rows of photos are out of order")
    } catch let error as SQLiteError {
      if error.isDiskFull { throw OperationError.noRoom(nil, at: path, for: "the copy of the database") }
      throw error.isDamage ? OperationError.damagedDatabase(layout, error.message) : error
    }
  }

  /// Calls `body` with each photo of a copy, and removes the rows of those that were deleted meanwhile.
  ///
  /// - Parameter body: returns false for a photo whose file is missing.
  func forEachPhoto(of copy: Connection, _ source: Connection, _ body: (Photo) throws -> Bool) throws {
    let total = Int(try copy.first(PhotoStore.totals, as: Totals.self)?.rowCount ?? 0)
    var (seen, bytes) = (0, Int64(0))
    try copy.forEachPage({ PhotoStore.page(after: $0) }, id: \.id) { (page: [Photo]) in
      var (deleted, digested): ([String], [Photo]) = ([], [])
      for var photo in page {
        let show = { try report(Progress("Backing up", seen, of: total, "photo", bytes: bytes), false) }
        try show()
        if photo.sha256 == nil, let sha256 = try digest(of: photo, each: show) {
          photo.sha256 = sha256
          digested.append(photo)
        }
        if try !body(photo) { deleted.append(photo.randomID) }
        (seen, bytes) = (seen + 1, bytes &+ photo.byteCount)
      }
      try copy.transaction {
        try copy.setDigests(of: digested)
        try copy.removePhotos(deleted)
      }
    }
  }

  /// Nil if the file cannot be read or has another length than was uploaded: a digest would make it look sound.
  private func digest(of photo: Photo, each: () throws -> Void) throws -> [UInt8]? {
    do {
      let part = try FilePart(at: files.path(of: photo.randomID))
      return try part.flatMap { $0.byteCount == photo.byteCount ? try $0.forEachChunk { _ in try each() } : nil }
    } catch is FileError { return nil }
  }

  /// Whether the storage has a photo's file, as its size shows.
  enum FileState {
    case whole
    /// The photo was deleted after the database was copied.
    case deleted
    case lost(reason: String)

    var loss: String? { if case .lost(let reason) = self { reason } else { nil } }
  }

  func state(of photo: Photo, _ source: Connection) throws -> FileState {
    guard Photo.isID(photo.randomID.utf8) else { return .lost(reason: "row \(photo.id) has an impossible id") }
    do throws(FileError) {
      guard let status = try files.status(photo.randomID) else { throw FileError("lstat", "", number: ENOENT) }
      guard status.kind == .file else { return .lost(reason: "not a plain file") }
      guard status.byteCount == photo.byteCount else {
        let found = counted(status.byteCount, "byte")
        return .lost(reason: "\(found), but \(photo.byteCount) were uploaded")
      }
      return .whole
    } catch {
      // A deletion removes the row first. So a photo that still has a row has lost its file.
      let isDeleted = try error.number == ENOENT && !source.exists(PhotoStore.photo(randomID: photo.randomID))
      return isDeleted ? .deleted : .lost(reason: error.reason)
    }
  }

  /// The file of the API's name and password; nil if there is none, or if it cannot be read, which is said.
  func credentials() -> FilePart? {
    do { return try FilePart(at: layout.credentials) } catch {
      warn("\(StorageLayout.credentials): \(error.reason). It is not in the backup.")
      return nil
    }
  }
}

extension OperationError {
  static func damagedDatabase(_ layout: StorageLayout, _ problem: String) -> OperationError {
    let problem = problem.split(separator: "\n").last ?? ""
    return OperationError(
      """
      The database \(layout.database) is damaged: \(problem). Nothing was backed up, and earlier backups are as they were. \
      Stop the server, run selfie-server doctor, and restore the newest backup.
      """)
  }
}
