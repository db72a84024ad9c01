import CSQLite
import SQL

// Tries out a write. `Readiness` in SelfieAPI decides how often.
extension Database {
  /// Checks that writes succeed: commits a transaction that changes nothing, and returns once it is on disk.
  ///
  /// It costs as much as any write, 4 KB in the log and a sync, which it shares with the writes of the same moment.
  /// Throws what ``write(_:)`` throws, or ``DatabaseError/moved``.
  package nonisolated(nonsending) func probe() async throws {
    try await write { connection in
      guard try !connection.hasMoved() else { throw DatabaseError.moved }
      // A transaction that changes no page commits without touching the disk. This one rewrites the first page. Nothing
      // else uses the number: migrations have a table.
      try connection.run("PRAGMA user_version = 0")
    }
  }
}

extension Connection {
  /// Whether the path by which the file was opened leads somewhere else now.
  func hasMoved() throws(SQLiteError) -> Bool {
    var hasMoved: Int32 = 0
    try check(sqlite3_file_control(open(), "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved))
    return hasMoved != 0
  }
}
