import SelfieOperations

extension SettingReader {
  private static let defaultEvery = "24h"
  private static let defaultKeep = "7d,4w"
  private static let milliseconds: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
  private static let maxInterval: Int64 = 366 * 86_400_000

  /// Nil where the owner wants none.
  mutating func backups() -> ScheduledBackups.Plan? {
    let (every, keep) = (text(.backupEvery) ?? Self.defaultEvery, text(.backupKeep) ?? Self.defaultKeep)
    let (interval, retention) = (Self.interval(every), BackupRetention(keep))
    if interval == nil {
      report("BACKUP_EVERY is \"\(every)\". It must be a time such as 30m, 24h or 7d, of 1s to 366d.")
    }
    if retention == nil {
      report(
        "BACKUP_KEEP is \"\(keep)\". It must be numbers of days and weeks, such as 7d,4w, or of backups, such as 10.")
    }
    guard let folder = text(.backupDir) else {
      for setting in [Setting.backupEvery, .backupKeep] where text(setting) != nil {
        report("\(setting.rawValue) is set, but BACKUP_DIR is not. Set the folder for backups as well.")
      }
      return nil
    }
    guard let interval, let retention else { return nil }
    return ScheduledBackups.Plan(folder: folder, interval: interval, retention: retention)
  }

  /// In milliseconds.
  private static func interval(_ text: String) -> Int64? {
    guard let unit = text.last.flatMap({ milliseconds[$0] }), let count = Int64(text.dropLast()), count > 0,
      count <= maxInterval / unit
    else { return nil }
    return count * unit
  }
}
