import HTTPMessages

/// How much is stored and how the server is, as `status` and the owner's page show it. `Attention` is one of its
/// problems, and `LastBackupView` the last backup.
package struct StatusView: Codable, Equatable, Sendable {
  package let version: String
  package let isRunning: Bool
  /// Times are those of the API, such as 2026-11-20T22:24:16.641Z. Nil if no server runs, as is the next.
  package let startedAt: String?
  /// In seconds.
  package let uptime: Int64?
  /// Nil if the database is too damaged to be counted, as are the next five.
  package let users: Int64?
  package let disabledUsers: Int64?
  package let photos: Int64?
  /// Of all photos.
  package let bytes: Int64?
  /// Nil also in a cluster, as are the next two.
  package let databaseBytes: Int64?
  package let freeBytes: Int64?
  /// Of the whole disk.
  package let diskBytes: Int64?
  /// When the last backup that lacks nothing was made; nil for never.
  package let lastBackup: String?
  /// Why the last attempt has failed, or what the newest backup lacks; nil if all is well.
  package let backupError: String?
  package let otherBackups: [BackupPlace.Others]
  /// Since the start; nil if no server runs.
  package let refusedSignIns: Int64?
  package let attention: [Attention]

  private enum CodingKeys: String, CodingKey {
    case version
    case isRunning = "running"
    case startedAt = "started_at"
    case uptime, users
    case disabledUsers = "disabled_users"
    case photos, bytes
    case databaseBytes = "database_bytes"
    case freeBytes = "free_bytes"
    case diskBytes = "disk_bytes"
    case lastBackup = "last_backup"
    case backupError = "backup_error"
    case otherBackups = "other_backups"
    case refusedSignIns = "refused_sign_ins"
    case attention
  }
}

/// All that the owner's page shows of this moment.
package struct ActivityView: Codable, Equatable, Sendable {
  /// Nil if the server makes no backups.
  package let backup: LastBackupView?
  package let status: StatusView
  /// How the program is called on the server's machine, and how the server is started there.
  package let command: String
  package let start: String
}

/// A setting in force, as the owner's page shows it.
package struct ShownSetting: Codable, OmitsNil, Equatable, Sendable {
  package let subject: String
  package let name: String
  /// The default if it is not set; masked if it is a secret.
  package let value: String
  /// Where it was set; nil if it was not.
  package let source: String?

  package init(subject: String, name: String, value: String, source: String?) {
    self.subject = subject
    self.name = name
    self.value = value
    self.source = source
  }
}
