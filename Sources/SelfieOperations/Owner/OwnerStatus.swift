import HTTPMessages
import Platform
import SelfieAPI

extension OwnerInterface {
  /// `GET /status`: how much is stored, and how the server is.
  func showStatus(_ call: OwnerCall) async throws -> Response {
    let (database, layout) = (application.database, application.photos.files.layout)
    let (startedAt, version, now, refused) = (startedAt, version, unixMilliseconds(), application.refusedAttempts)
    let lastBackup = backups?.last
    return try await application.onWorker {
      let (users, disabledUsers, photos) = try database.read { connection in
        (
          try UserStore.count(on: connection), try UserStore.countDisabled(on: connection),
          try PhotoStore.totals(on: connection)
        )
      }
      let databaseFiles = try ["", "-wal"].map { try FileSystem.status(layout.database + $0) }
      let freeBytes = try FileSystem.freeBytes(at: layout.folder)
      return .owner(
        JSONWriter.object { json in
          json.member("version", version)
          json.key("running")
          json.boolean(startedAt != nil)
          json.member("started_at", time: startedAt)
          json.member("uptime", startedAt.map { max(0, now - $0) / 1000 })
          json.member("users", users)
          json.member("disabled_users", disabledUsers)
          json.member("photos", photos.count)
          json.member("bytes", photos.byteCount)
          json.member("database_bytes", databaseFiles.reduce(0) { $0 + ($1?.byteCount ?? 0) })
          json.member("free_bytes", freeBytes)
          json.member("last_backup", time: lastBackup?.time)
          json.member("backup_error", lastBackup?.error)
          json.member("refused_sign_ins", startedAt == nil ? nil : refused)
        })
    }
  }
}
