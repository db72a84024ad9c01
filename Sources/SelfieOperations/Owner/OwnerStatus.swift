import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

// The owner's commands that show how the server is. Attention.swift has what is wrong with it, and `StoredTotals` how
// much is stored.
extension OwnerConsole {
  func status() async throws -> OwnerReply { try await OwnerReply(of: currentStatus()) }

  func activity() async throws -> OwnerReply {
    let (server, status) = (try requireServer(), try await currentStatus())
    return try OwnerReply(
      of: ActivityView(
        backup: (server.backups?.last).map(LastBackupView.init), status: status, command: Installation.command,
        start: Installation.start))
  }

  func settings() throws -> OwnerReply { try OwnerReply(of: requireServer().settings) }

  private func currentStatus() async throws -> StatusView {
    let now = unixMilliseconds()
    let totals = try await countUnlessDamaged()
    return StatusView(
      version: Application.version, isRunning: server != nil,
      startedAt: (server?.startedAt).map(Timestamp.text),
      uptime: server.map { (monotonicMilliseconds() - $0.uptimeStart) / 1000 },
      users: totals?.users, disabledUsers: totals?.disabledUsers, photos: totals?.photos, bytes: totals?.photoBytes,
      databaseBytes: totals?.databaseBytes.map { $0 + (totals?.logBytes ?? 0) }, freeBytes: totals?.freeBytes,
      diskBytes: totals?.diskBytes, lastBackup: lastBackup(before: now).map(Timestamp.text),
      backupError: backups?.last.error, otherBackups: (try? backups?.place.listed()) ?? [],
      refusedSignIns: server == nil ? nil : application.limits.refusedCount,
      attention: attention(totals, now: now))
  }

  /// Nil if the database is too damaged to be counted, which needs attention.
  private func countUnlessDamaged() async throws -> StoredTotals? {
    do {
      return try await StoredTotals.count(of: application)
    } catch let error as SQLiteError where error.isDamage {
      return nil
    }
  }

  /// When the last backup that lacks nothing was made, in Unix milliseconds; nil for never, and in the future.
  func lastBackup(before now: Int64) -> Int64? {
    [notedBackup, backups?.last.time].compactMap(\.self).filter { $0 <= now + 60_000 }.max()
  }

  /// When the last backup was made by the clock of that time, in Unix milliseconds; nil for never.
  var notedBackup: Int64? {
    let state = try? application.database.file?.read { try $0.first(BackupStateStore.state, as: BackupState.self) }
    return state?.lastBackupAt
  }
}
