package import SQL

/// What a storage remembers about its backups: the row of the table `backup_state`. `ScheduledBackups` in SelfieOperations
/// makes them.
package struct BackupState: Sendable, Equatable, RowRecord {
  /// Tells the storage from copies that were restored elsewhere, in 16 hexadecimal digits.
  package var line: String
  /// Unix milliseconds; 0 for the first line of a storage.
  package var lineBeganAt: Int64
  /// Whether there are backups in BACKUP_DIR.
  package var hasFolder: Bool
  /// The inode of the database's file when that was noted.
  package var file: Int64?
  /// When the last backup that lacks nothing was made, in Unix milliseconds.
  package var lastBackupAt: Int64?

  package init(_ row: borrowing some RowReader & ~Copyable) {
    (line, lineBeganAt, file) = (row["line"], row["line_began_at"], row["file"])
    (hasFolder, lastBackupAt) = ((row["has_folder"] as Int64) != 0, row["last_backup_at"])
  }
}

/// The queries of the tables `backup_state` and `recorded_backups`, which only the database of a folder has.
package enum BackupStateStore {
  package static let state: Query = "SELECT * FROM backup_state"
  /// The names of the backups that this storage's servers have made in BACKUP_DIR, or were about to.
  package static let recorded: Query = "SELECT name FROM recorded_backups"
}

extension Transaction {
  /// Begins a new line, which has no backups and no folder for them.
  ///
  /// - Parameter now: in Unix milliseconds.
  package func beginLine(_ line: String, now: Int64) throws {
    try run([
      Query(
        "UPDATE backup_state SET line = $1, line_began_at = $2, has_folder = 0, file = NULL", .text(line), .integer(now)
      ),
      "DELETE FROM recorded_backups",
    ])
  }

  /// Remembers that there are backups in BACKUP_DIR.
  package func rememberBackupFolder(file: Int64) throws {
    try run(Query("UPDATE backup_state SET has_folder = 1, file = $1", .integer(file)))
  }

  /// Records a backup that is about to be made.
  package func recordBackup(_ name: String) throws {
    try run(Query("INSERT OR IGNORE INTO recorded_backups (name) VALUES ($1)", .text(name)))
  }

  package func forgetBackups(_ names: [String]) throws {
    try run(names.map { Query("DELETE FROM recorded_backups WHERE name = $1", .text($0)) })
  }

  package func noteBackup(at time: Int64) throws {
    try run(Query("UPDATE backup_state SET last_backup_at = $1", .integer(time)))
  }
}
