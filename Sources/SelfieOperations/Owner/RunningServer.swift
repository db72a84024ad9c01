import HTTPMessages
package import Platform
import SQL
import SQLite
package import SelfieAPI

/// The state of a running server that its owner's commands show or change. It only gathers the state: `OwnerConsole`
/// runs the commands, and `OwnerSessions` has the rules of sessions.
package struct RunningServer: Sendable {
  /// Unix milliseconds.
  let startedAt = unixMilliseconds()
  /// Monotonic milliseconds.
  let uptimeStart = monotonicMilliseconds()
  /// Where clients reach the server.
  let clientURL: String
  /// Nil if the server makes none.
  let backups: ScheduledBackups?
  let settings: [ShownSetting]
  let sessions: OwnerSessions
  /// Nil unless the apps' credentials were lost.
  let lostCredentials: LostCredentials?
  /// Returns nil for a server without a certificate.
  let certificate: @Sendable () -> CertificateStatus?
  let refusals = RefusalLog()
  /// When the disk was first seen to be nearly full; nil if it was not at the last look.
  let diskSeenFull = Monitor<String?>(nil)
  /// For work that takes long, and lets everything else go first: the reader of a backup, and a check.
  let slowWork = WorkerPool(name: "owner's work", niceness: 19, threads: 2, waiting: 100)
  /// Writes the page's backup, one at a time. Its reader waits for it, so it must not wait for a reader's thread.
  let backupWork = WorkerPool(name: "owner's backup", niceness: 19, threads: 1, waiting: 0)

  package init(
    clientURL: String, backups: ScheduledBackups?, settings: [ShownSetting], sessions: OwnerSessions,
    lostCredentials: LostCredentials? = nil, certificate: @escaping @Sendable () -> CertificateStatus? = { nil }
  ) {
    self.clientURL = clientURL
    self.backups = backups
    self.settings = settings
    self.sessions = sessions
    self.lostCredentials = lostCredentials
    self.certificate = certificate
  }
}

/// A setting in force, as the owner's page shows it.
package struct ShownSetting: Codable, Equatable, Sendable {
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

extension OwnerConsole {
  /// Finishes the work of the owner's page, whose clients are gone. Blocks until then.
  package func stop() {
    server?.backupWork.shutDown()
    server?.slowWork.shutDown()
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

  func status() async throws -> OwnerReply {
    let (now, refused) = (unixMilliseconds(), application.limits.refusedCount)
    let (startedAt, backup) = (server?.startedAt, backups?.last)
    let totals = try await countUnlessDamaged()
    let attention = try JSONWriter.encode(attention(totals, now: now))
    let others = try JSONWriter.encode((try? backups?.place.listed()) ?? [])
    return OwnerReply { json in
      json.member("version", Application.version)
      json.member("running", startedAt != nil)
      json.member("started_at", time: startedAt)
      json.member("uptime", server.map { (monotonicMilliseconds() - $0.uptimeStart) / 1000 })
      json.member("users", totals?.users)
      json.member("disabled_users", totals?.disabledUsers)
      json.member("photos", totals?.photos)
      json.member("bytes", totals?.photoBytes)
      json.member("database_bytes", totals?.databaseBytes.map { $0 + (totals?.logBytes ?? 0) })
      json.member("free_bytes", totals?.freeBytes)
      json.member("disk_bytes", totals?.diskBytes)
      json.member("last_backup", time: lastBackup(before: now))
      json.member("backup_error", backup?.error)
      json.key("other_backups")
      json.written(others)
      json.member("refused_sign_ins", startedAt == nil ? nil : refused)
      json.key("attention")
      json.written(attention)
    }
  }

  /// Nil if the database is too damaged to be counted, which needs attention.
  private func countUnlessDamaged() async throws -> StoredTotals? {
    do {
      return try await StoredTotals.count(of: application)
    } catch let error as SQLiteError where error.isDamage {
      return nil
    }
  }

  func settings() throws -> OwnerReply {
    OwnerReply(try JSONWriter.encode(try requireServer().settings))
  }

  func activity() async throws -> OwnerReply {
    let (server, status) = (try requireServer(), try await self.status())
    let backup = server.backups?.last
    return OwnerReply { json in
      json.key("backup")
      if let backup { json.object { backup.writePublicMembers(to: &$0) } } else { json.null() }
      json.key("status")
      json.written(status.json)
      json.member("command", Installation.command)
      json.member("start", Installation.start)
    }
  }

  /// The secret is in the address's fragment, which browsers send to no server: it gets into no log and into no Referer,
  /// and a preview of the link does not use it up.
  func openPage(at address: String?) throws -> OwnerReply {
    let sessions = try requireServer().sessions
    if let address, !PageAccess.canOpen(at: address) {
      throw APIError(
        .badRequest, "The page opens at an address that begins with https://, or at http://localhost with its port.")
    }
    let page = address ?? sessions.address
    let url = "\(page.last == "/" ? page.dropLast() : page[...])/owner#\(sessions.make(.link))"
    application.securityLog.log(
      ownersCommand: "owner", [:], numbers: ["minutes": OwnerSessions.linkLifetime / 60_000])
    return OwnerReply(url) { json in
      json.member("url", url)
      json.member("seconds", OwnerSessions.linkLifetime / 1000)
    }
  }

  func closePage() throws -> OwnerReply {
    let count = Int64(try requireServer().sessions.endAll())
    application.securityLog.log(ownersCommand: "owner --end", [:], numbers: ["sessions": count])
    return OwnerReply("\(counted(count, "session")) ended, and the page is closed.") { $0.member("sessions", count) }
  }
}

/// How much a server has stored. To count photos and their bytes, the database reads a row of each.
package struct StoredTotals: Sendable {
  package let users: Int64
  package let disabledUsers: Int64
  package let photos: Int64
  package let photoBytes: Int64
  /// Nil where the database is shared, as are the next three.
  package private(set) var databaseBytes: Int64?
  /// The bytes that were written and are not in the database's file yet.
  package private(set) var logBytes: Int64?
  /// Of the disk.
  package private(set) var freeBytes: Int64?
  package private(set) var diskBytes: Int64?

  /// Anyone who reaches the metrics may ask for them again and again, and counting a million photos takes a tenth of a
  /// second: the totals are counted so seldom that it takes no more than a hundredth of a processor's time. After two
  /// seconds the disk hangs, and the last totals are used.
  package static func probe() -> SharedProbe<StoredTotals?> { SharedProbe(patience: 2000) { $0 * 100 } }

  /// - Throws: `QueueFull`, or what reading throws.
  package static func count(of application: Application) async throws -> StoredTotals {
    let photos = try await application.all(PhotoStore.totals, as: Totals.self).first
    var totals = StoredTotals(
      users: try await application.number(UserStore.count),
      disabledUsers: try await application.number(UserStore.countDisabled), photos: photos?.rowCount ?? 0,
      photoBytes: photos?.byteCount ?? 0)
    guard let layout = application.photos.bytes.layout else { return totals }
    totals.databaseBytes = try FileSystem.status(layout.database)?.byteCount ?? 0
    totals.logBytes = try FileSystem.status(layout.database + "-wal")?.byteCount ?? 0
    totals.freeBytes = try FileSystem.freeBytes(at: layout.folder)
    totals.diskBytes = try FileSystem.diskBytes(at: layout.folder)
    return totals
  }
}
