import SelfieOperations

extension SettingReader {
  private static let defaultEvery = "24h"
  private static let defaultKeep = "7d,4w"
  /// In seconds.
  private static let intervals: ClosedRange<Int64> = 1...366 * 86_400

  /// Nil where the owner wants none.
  mutating func backups() -> ScheduledBackups.Plan? {
    let every = text(.backupEvery, default: Self.defaultEvery)
    let keep = text(.backupKeep, default: Self.defaultKeep)
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
    guard text.last?.isLetter == true, let seconds = SettingUnit.seconds.number(text), intervals.contains(seconds)
    else { return nil }
    return seconds * 1000
  }
}
