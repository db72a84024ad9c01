import CSQLite
import Glibc
import Platform
import SQL

// Copies a database that is in use. `StorageBackup` in SelfieOperations makes a backup of it and the photos.
extension Connection {
  /// Pages that are copied between two reports of progress: a few megabytes.
  private static let pagesPerStep: Int32 = 1024

  /// The size of the database as this connection sees it, in bytes.
  package func byteCount() throws -> Int64 {
    try number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
  }

  /// Copies the whole database, as it is at one instant, to a new file for its owner only, by SQLite's backup interface
  /// (sqlite.org/backup.html). Others go on writing meanwhile; their log cannot be checkpointed past that instant until
  /// this returns. Returns when the copy is on the disk; its name is there only once the caller syncs the folder.
  ///
  /// - Parameters:
  ///   - path: where nothing may be yet.
  ///   - progress: is told how many bytes are copied, of how many. What it throws ends the copy.
  /// - Throws: ``SQLiteError``, `FileError`, or what `progress` throws. Nothing is left of the copy then.
  package func copy(
    to path: String, progress: (_ bytes: Int64, _ total: Int64) throws -> Void = { _, _ in }
  ) throws {
    guard !path.hasNUL else { throw SQLiteError.misuse("a path cannot hold a NUL") }
    // SQLite would open a file that is there, and make one that others may read.
    _ = try FileSystem.create(path)
    do {
      // Within one transaction the source stays as it is: otherwise each commit of another process begins the copy anew.
      try snapshot {
        _ = try number("SELECT count(*) FROM sqlite_schema")
        try copyPages(to: path, progress)
      }
      try FileSystem.sync(OpenFile(path, O_RDONLY), path: path)
    } catch {
      for suffix in ["", "-journal"] { unlink(path + suffix) }
      throw error
    }
  }

  /// Copies the whole database to a file next to it, which gets its name once it is on the disk.
  ///
  /// - Parameter free: how many bytes may still be written there; nil if that is not known.
  /// - Throws: `ConfigurationError` if there is no room, or what ``copy(to:progress:)`` throws. Nothing is left then.
  package func keepCopy(at path: String, freeBytes free: Int64?) throws {
    let partial = "\(path).partial"
    // An earlier attempt may have left one, and takes room.
    try FileSystem.remove(partial)
    let needed = try byteCount()
    if let free, free < needed {
      throw ConfigurationError("\(needed) bytes are needed, and \(free) are free. Make room, and start again")
    }
    do {
      try copy(to: partial)
      try FileSystem.rename(partial, to: path)
      try FileSystem.syncFolder(FileSystem.parent(of: path))
    } catch {
      _ = try? FileSystem.remove(partial)
      throw error
    }
  }

  private func copyPages(to path: String, _ progress: (Int64, Int64) throws -> Void) throws {
    let source = try open()
    var target: OpaquePointer?
    defer { sqlite3_close_v2(target) }
    var code = sqlite3_open_v2(
      path, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, Self.withoutLocks)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: target) }
    // A copy that is interrupted is thrown away, and a whole one is synced at the end.
    code = sqlite3_exec(target, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
    guard code == SQLITE_OK, let backup = sqlite3_backup_init(target, "main", source, "main") else {
      throw SQLiteError(code: sqlite3_extended_errcode(target), of: target)
    }
    defer { sqlite3_backup_finish(backup) }
    let pageBytes = try number("PRAGMA page_size")
    var systemNumber: Int32 = 0
    repeat {
      code = sqlite3_backup_step(backup, Self.pagesPerStep)
      systemNumber = errno
      let total = Int64(sqlite3_backup_pagecount(backup))
      try progress((total - Int64(sqlite3_backup_remaining(backup))) * pageBytes, total * pageBytes)
    } while code == SQLITE_OK
    guard code == SQLITE_DONE else {
      // The code is the step's: what errmsg tells may be of another call.
      throw SQLiteError(code: code, at: path, systemNumber: systemNumber)
    }
  }
}
