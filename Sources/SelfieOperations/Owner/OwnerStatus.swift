import HTTPMessages
import Platform
import SelfieAPI

extension OwnerConsole {
  /// When the last backup was made, automatically or by hand, in Unix milliseconds.
  var lastBackup: Int64? {
    let layout = application.photos.bytes.layout
    return [server?.backups?.last.time, layout.flatMap(StorageBackup.lastByHand)].compactMap(\.self).max()
  }

  func status() async throws -> OwnerReply {
    let (now, refused) = (unixMilliseconds(), application.limits.refusedCount)
    let (startedAt, backup) = (server?.startedAt, server?.backups?.last)
    let totals = try await StoredTotals.count(of: application)
    let attention = try JSONWriter.encode(attention(totals, now: now))
    return OwnerReply { json in
      json.member("version", Application.version)
      json.member("running", startedAt != nil)
      json.member("started_at", time: startedAt)
      json.member("uptime", server.map { (monotonicMilliseconds() - $0.uptimeStart) / 1000 })
      json.member("users", totals.users)
      json.member("disabled_users", totals.disabledUsers)
      json.member("photos", totals.photos)
      json.member("bytes", totals.photoBytes)
      json.member("database_bytes", totals.databaseBytes.map { $0 + (totals.logBytes ?? 0) })
      json.member("free_bytes", totals.freeBytes)
      json.member("disk_bytes", totals.diskBytes)
      json.member("last_backup", time: lastBackup)
      json.member("backup_error", backup?.error)
      json.member("refused_sign_ins", startedAt == nil ? nil : refused)
      json.key("attention")
      json.written(attention)
    }
  }
}
