import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

// Problems that the owner should see at once. A problem that doctor finds is a `StorageIssue`.

/// Something that needs the owner's attention, as `status` and the owner's page show it.
package struct Attention: Codable, OmitsNil, Equatable, Sendable {
  package enum Severity: String, Codable, Sendable {
    /// Something is broken.
    case error
    /// Something will break, or has gone wrong once.
    case warning
  }

  /// What it is about, which says what the owner's page can do about it.
  package enum Subject: String, Codable, Sendable {
    case server, backup, photo, credentials, disk, certificate, requests, setting
  }

  package let severity: Severity
  package let subject: Subject
  /// What it is, what it means, and what to do.
  package let message: String
  /// When it happened last; nil if it lasts.
  package let time: String?
  /// Since when it lasts; nil if it has only happened.
  package var since: String?
  /// What to run on the server's machine; nil if that is no command of this program.
  package var command: String?
  /// The random_id of the photo that it is about; nil if it is about none.
  package var photo: String?

  /// - Parameter since: in Unix milliseconds.
  init(_ severity: Severity, _ subject: Subject, _ message: String, at time: String? = nil, since: Int64? = nil) {
    (self.severity, self.subject, self.message, self.time) = (severity, subject, message, time)
    self.since = since.map(Timestamp.text)
    let words = [
      Subject.backup: "backup selfie-$(date +%F).tar", .credentials: "constants", .disk: "doctor", .requests: "why",
      .setting: "settings",
    ]
    command = subject == .server ? Installation.start : words[subject].map { "\(Installation.command) \($0)" }
  }
}

extension OwnerConsole {
  /// What needs attention now, the errors first.
  ///
  /// - Parameter now: in Unix milliseconds.
  func attention(_ totals: StoredTotals?, now: Int64) -> [Attention] {
    guard let server else { return [Attention(.error, .server, "No server is running here. Apps cannot connect.")] }
    let start = server.startedAt
    let certificate = server.certificate()
    let lostCredentials = server.lostCredentials?.warning { time in
      (try? server.backups?.place.own(before: time).first?.path) ?? nil
    }
    var all = [
      lostCredentials.map { Attention(.error, .credentials, $0.text, since: $0.since) },
      certificate?.problem.map(Attention.of),
      certificate?.end.flatMap { Attention.ofCertificate(endingAt: $0, now: now / 1000) },
      application.database.file?.damage.map { _ in Attention(.error, .disk, StorageFailure.damaged, since: start) },
      Attention.of(server.refusals.entries().filter { $0.status >= 500 && $0.time > now - Attention.day }),
    ]
    // Other tools back up the database of a cluster, and watch its disk.
    if let free = totals?.freeBytes, let disk = totals?.diskBytes {
      let folder = application.photos.bytes.layout?.folder
      var full = Attention.ofDisk(free: free, of: disk, maxPhotoBytes: application.settings.maxPhotoBytes)
      if folder.map(FileSystem.lacksInodes) == true { full = Attention(.error, .disk, StorageFailure.noInodes) }
      let since = server.diskSeenFull.withLock { [full] seen in
        seen = full == nil ? nil : seen ?? Timestamp.text(unixMilliseconds: now)
        return seen
      }
      full?.since = since
      let (backups, day) = (server.backups, Attention.day)
      all += lostPhotos(backups?.last)
      all += (backups?.warnings ?? []).map { Attention(.warning, .backup, $0, since: start) }
      all += [
        full,
        Attention.of(
          backups?.last, last: lastBackup(before: now), every: backups?.interval ?? day, start: start, now: now),
        Attention.ofBackup(notedAt: notedBackup, now: now),
      ]
      let warnings = (folder.map(StorageCheck.fileSystemWarnings) ?? []) + application.photos.warnings
      all += warnings.map { Attention(.warning, .disk, $0, since: start) }
    }
    all += Attention.ofSettings(
      application.settings, clientURL: server.clientURL,
      hasControl: server.settings.contains { $0.name == "CONTROL" && $0.value == "on" }, since: start)
    let found = all.compactMap(\.self)
    return found.filter { $0.severity == .error } + found.filter { $0.severity == .warning }
  }
}

extension OwnerConsole {
  /// The photos that the last backup has found missing or damaged in the storage, that the backups have whole, and that
  /// nobody has put back since.
  private func lostPhotos(_ backup: LastBackup?) -> [Attention] {
    guard let backup, let time = backup.time, let file = backup.file, let layout = application.photos.bytes.layout
    else {
      return []
    }
    return (backup.description?.problems ?? []).filter { problem in
      let row = try? application.database.file?.read {
        try $0.first(PhotoStore.photo(randomID: problem.id), as: Photo.self)
      }
      guard problem.isInBackup, let row else { return false }
      let found = (try? FileSystem.status(layout.photo(problem.id))) ?? nil
      return found.map { $0.byteCount != row.byteCount || $0.modifiedAt * 1000 <= time } ?? true
    }.prefix(Attention.maxPhotos).map { Attention.ofLostPhoto($0.id, in: FileSystem.parent(of: file), at: time) }
  }
}

extension LastBackup {
  /// Whether nothing is wrong but photos that the storage has lost and the backups have: each has an alarm of its own.
  fileprivate var hasOnlyLostPhotos: Bool {
    guard failedAt == nil, let description, description.isComplete, description.problems.allSatisfy(\.isInBackup),
      let moment = file.flatMap(Moment.init)
    else { return false }
    return error == LastBackup(moment, description).error
  }
}

extension Attention {
  fileprivate static let day: Int64 = 86_400_000
  /// Lost photos that have an alarm; the backup names more.
  fileprivate static let maxPhotos = 3
  /// In seconds. Programs that renew certificates do so earlier.
  private static let certificateNotice: Int64 = 14 * 86_400

  /// - Parameters:
  ///   - backup: nil if none are made automatically.
  ///   - last: when the last one was made, automatically or by hand; nil for never.
  ///   - start: of the server.
  static func of(_ backup: LastBackup?, last: Int64?, every: Int64, start: Int64, now: Int64) -> Attention? {
    if let error = backup?.error, backup?.hasOnlyLostPhotos == false {
      let time = (backup?.failedAt ?? backup?.time).map(Timestamp.text)
      return Attention(.error, .backup, "The last backup failed or lacks data. \(error)", at: time)
    }
    // The schedule looks at the time once a minute, and a backup takes a while.
    if let last, (now - last - 60_000) / 2 <= every { return nil }
    let message =
      backup == nil
      ? "\(last == nil ? "" : "The last backup is old. ")No backups are made automatically. "
        + "Set BACKUP_DIR to a folder on another disk, and restart the server."
      : last == nil
        ? "There is no backup yet. The server is making the first one."
        : "The last backup is older than two periods of BACKUP_EVERY. Make one now, and look at the log."
    return Attention(
      backup == nil || last == nil ? .warning : .error, .backup,
      "\(message) If the disk fails, \(last == nil ? "all" : "newer") data is lost.", since: last ?? start)
  }

  /// One that the clock of its time dates in the future.
  static func ofBackup(notedAt time: Int64?, now: Int64) -> Attention? {
    guard let time, time > now + day else { return nil }
    return Attention(
      .warning, .backup,
      "The last backup is from the future, \(Timestamp.text(unixMilliseconds: time)), so it does not count. Check the clock."
    )
  }

  /// - Parameters:
  ///   - folder: has the backups.
  ///   - time: when that was found.
  static func ofLostPhoto(_ id: String, in folder: String, at time: Int64) -> Attention {
    var attention = Attention(
      .error, .photo,
      "The storage has lost the photo \(id), and the backups have it. Stop the server, put the photo back, and start the "
        + "server again. Check the disk.", at: Timestamp.text(unixMilliseconds: time))
    attention.command = Installation.commandWhileStopped("restore --photo \(id) \(folder.shellWord)")
    attention.photo = id
    return attention
  }

  /// Settings that make it easy for others.
  static func ofSettings(_ settings: APISettings, clientURL: String, hasControl: Bool, since: Int64) -> [Attention?] {
    let isPublic = clientURL.hasPrefix("https:") || !PageAccess.canOpen(at: clientURL)
    let isOpen = isPublic && settings.publicURL != nil && settings.signup == .open && settings.getToken == .email
    let dangers = [
      (!settings.limitsFailures, "RATE_LIMIT is off, so anyone can guess passwords fast. Set it to on."),
      (settings.passwordCost < 10, "PASSWORD_COST is below 10, so stolen hashes are guessed fast. Raise it."),
      (hasControl && isPublic, "CONTROL is on, and its password lets other machines change everything. Set it to off."),
      (isOpen, "Anyone can get a token by an email address alone. Set SIGNUP=closed, or GET_TOKEN=password."),
    ]
    return dangers.map { $0 ? Attention(.warning, .setting, "\($1) Then restart the server.", since: since) : nil }
  }

  /// A warning at twice the free space at which `doctor` reports an issue.
  static func ofDisk(free: Int64, of disk: Int64, maxPhotoBytes: Int) -> Attention? {
    let isLow = { StorageCheck.isLow($0, of: disk, maxPhotoBytes: maxPhotoBytes) }
    guard isLow(free / 2) else { return nil }
    return Attention(
      isLow(free) ? .error : .warning, .disk,
      "The disk is nearly full: \(HumanValue.bytes(free)) of \(HumanValue.bytes(disk)) are free. On a full disk, uploads "
        + "are refused.")
  }

  static func of(_ problem: CertificateStatus.Problem) -> Attention {
    Attention(
      .error, .certificate,
      "The certificate's files have changed and cannot be used, so the server keeps the old certificate until it expires. "
        + problem.message, since: problem.since)
  }

  /// - Parameter end: in Unix seconds, as `now` is.
  static func ofCertificate(endingAt end: Int64, now: Int64) -> Attention? {
    let (left, isOverflow) = end.subtractingReportingOverflow(now)
    guard !isOverflow, left <= certificateNotice else { return nil }
    let effect = left > 0 ? "ends in \(HumanValue.duration(seconds: left)), and then" : "has expired, so"
    return Attention(
      left > 0 ? .warning : .error, .certificate,
      "The certificate \(effect) apps cannot connect. Renew it with the program "
        + "that made it, such as lego.", since: max(0, left > 0 ? end - certificateNotice : end) * 1000)
  }

  /// - Parameter failed: failures, the last of each within a day, the newest first.
  static func of(_ failed: [RefusalLog.Entry]) -> Attention? {
    guard let last = failed.first else { return nil }
    let count = failed.reduce(0) { $0 + $1.count }
    return Attention(
      .error, .requests,
      "The server has failed \(counted(count, "request")), so apps showed errors. The last one, with the status "
        + "\(last.status): \(last.request)", at: Timestamp.text(unixMilliseconds: last.time))
  }
}
