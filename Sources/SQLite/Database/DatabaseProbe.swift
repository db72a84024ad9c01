import CSQLite

extension Database {
  /// Commits a transaction that changes nothing, and answers once it is on disk: whether writes can be.
  ///
  /// It costs what any write costs, 4 KB in the log and a sync, shared with the writes that come at the same time.
  /// Throws what ``write(_:)`` throws, or ``DatabaseMoved``.
  public nonisolated(nonsending) func probe() async throws {
    try await write { connection in
      guard try !connection.hasMoved() else { throw DatabaseMoved() }
      // A transaction that touches no page commits without a look at the disk. This touches the first page, whatever
      // the number was; nothing else uses it (migrations have a table).
      try connection.run("PRAGMA user_version = 0")
    }
  }
}

/// The database's name leads to another file now, or to none: what is written would be gone at the next start.
public struct DatabaseMoved: Error, Sendable, CustomStringConvertible {
  /// Says just that.
  public var description: String { "the database file was moved, deleted or replaced while it was open" }
}

extension Connection {
  /// Whether the name that the file was opened by leads somewhere else now.
  func hasMoved() throws(SQLiteError) -> Bool {
    let database = try open()
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
    return hasMoved != 0
  }
}
