import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// Copies what can be read of a storage with a damaged database into a new one, and names what cannot. Nothing in the
/// damaged one is changed. No server may use it meanwhile.
package struct StorageSalvage {
  private let source: StorageLayout
  private let target: StorageLayout
  /// In Unix milliseconds.
  private let now: Int64
  /// Receives a line about something that is lost.
  private let report: (String) -> Void

  /// - Parameters:
  ///   - storage: the folder with the damaged database.
  ///   - folder: where nothing may be yet.
  package init(of storage: String, into folder: String, now: Int64, report: @escaping (String) -> Void) {
    source = StorageLayout(folder: storage)
    target = StorageLayout(folder: folder)
    self.now = now
    self.report = report
  }

  /// How much the new storage has.
  package struct Counts: Sendable {
    package let users: Int64
    package let photos: Int64
  }

  /// Returns once everything is on the disk.
  package func run() throws -> Counts {
    try source.requireStorage()
    guard try FileSystem.makeFolder(target.folder) || FileSystem.names(in: target.folder).isEmpty else {
      throw OperationError("\(target.folder) is not empty. Name a new folder.")
    }
    let files = PhotoFiles(storage: target.folder)
    try files.prepare()
    // Only a copy may be opened for writing, which takes the newest rows out of the log.
    let damaged = target.path("damaged.sqlite3")
    for suffix in ["", "-wal"] { try copyFile(source.database + suffix, to: damaged + suffix) }
    let partial = target.path("salvaged.sqlite3")
    // SQLite would make one that others may read.
    _ = try FileSystem.create(partial)
    let connection = try Connection(path: partial, mode: .readWrite)
    defer { connection.close() }
    try salvageRows(from: damaged, into: connection)
    let photos = try copyPhotos(of: connection, into: files)
    try copyFile(source.credentials, to: target.credentials)
    let users = try connection.number(UserStore.count)
    connection.close()
    for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(damaged + suffix) }
    try FileSystem.rename(partial, to: target.database)
    for folder in [target.folder, FileSystem.parent(of: target.folder)] { try FileSystem.syncFolder(folder) }
    return Counts(users: users, photos: photos)
  }

  private func salvageRows(from damaged: String, into connection: Connection) throws {
    _ = try migrations(of: damaged).run(on: connection, now: now)
    // The new storage has an identity of its own, so that it takes nothing away of the damaged one's backups.
    let own: Set = [
      "schema_migrations", "storage_identity", "photo_bytes", "note_bytes", "backup_state", "recorded_backups",
    ]
    for lost in try connection.salvage(from: damaged, besides: own) {
      let rows =
        switch lost.ids {
        case nil: "some rows"
        case let ids? where ids.upperBound == .max: "rows after \(ids.lowerBound - 1)"
        case let ids?:
          ids.lowerBound == ids.upperBound ? "row \(ids.lowerBound)" : "rows \(ids.lowerBound) to \(ids.upperBound)"
        }
      report("\(lost.table): \(rows) cannot be read (\(lost.reason))")
    }
    for (table, count) in try connection.deleteOrphans().sorted(by: { $0.key < $1.key }) {
      report("\(table): \(counted(count, "row")) left out, because the user cannot be read")
    }
    let problems = try connection.integrityProblems()
    guard problems.isEmpty else {
      throw OperationError("The new database is not in order: \(problems.joined(separator: "; "))")
    }
  }

  /// Those that the damaged database has had, so that its tables are the same; all if that cannot be read.
  private func migrations(of damaged: String) -> Migrations {
    guard let connection = try? Connection(path: damaged, mode: .readWrite) else { return .sqlite }
    defer { connection.close() }
    let last = (try? Migrations.last(on: connection)) ?? nil
    guard let index = Migrations.sqlite.steps.firstIndex(where: { $0.name == last }) else { return .sqlite }
    return Migrations(Array(Migrations.sqlite.steps.prefix(through: index)))
  }

  /// Returns how many were copied.
  private func copyPhotos(of connection: Connection, into files: PhotoFiles) throws -> Int64 {
    var copied: Int64 = 0
    var folders = Set<String>()
    try connection.forEach(PhotoStore.allIDs) { row in
      let id: String = row["random_id"]
      guard Photo.isID(id.utf8) else { return true }
      if folders.insert(target.photoFolder(of: id)).inserted { try files.makeFolder(of: id) }
      do {
        if try copyFile(source.photo(id), to: target.photo(id)) { copied += 1 } else { report("photo \(id): no file") }
      } catch let error as FileError {
        report("photo \(id): \(error.inWords)")
      }
      return true
    }
    for folder in folders.sorted() + [target.photos] { try FileSystem.syncFolder(folder) }
    let others = try source.photoCount - Int(copied)
    if others > 0 {
      report("\(counted(others, "file")) in \(source.photos) without a row that can be read, left there")
    }
    return copied
  }

  /// Copies a file, for its owner only; false if there is none.
  @discardableResult
  private func copyFile(_ path: String, to copy: String) throws -> Bool {
    guard let file = try FileSystem.open(path) else { return false }
    let target = try FileSystem.create(copy)
    try FileSystem.forEachChunk(of: file, path: path) { try FileSystem.write($0[...], to: target, path: copy) }
    try FileSystem.sync(target, path: copy)
    return true
  }
}
