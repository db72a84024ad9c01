import Platform

/// The folder of the backups that the server makes by itself. Files of other names are left alone.
struct BackupFolder {
  let path: String

  struct Backup {
    let time: Int64
    let path: String
  }

  /// The newest first.
  func backups() throws -> [Backup] {
    try FileSystem.names(in: path)
      .compactMap { name in BackupName.time(of: name).map { Backup(time: $0, path: "\(path)/\(name)") } }
      .filter { try FileSystem.status($0.path)?.kind == .file }
      .sorted { $0.time > $1.time }
  }

  /// Removes what a backup has left that was killed. None may be under way.
  func removePartials() throws {
    for name in try FileSystem.names(in: path) {
      for suffix in BackupName.partialSuffixes where name.hasSuffix(suffix) {
        guard BackupName.time(of: String(name.dropLast(suffix.count))) != nil else { continue }
        try FileSystem.remove("\(path)/\(name)")
      }
    }
  }

  /// Removes the backups that need not be kept.
  func prune(keeping retention: BackupRetention) throws {
    let backups = try backups()
    let expendable = Set(retention.expendable(backups.map(\.time)))
    for backup in backups where expendable.contains(backup.time) { try FileSystem.remove(backup.path) }
    if !expendable.isEmpty { try FileSystem.syncFolder(path) }
  }
}
