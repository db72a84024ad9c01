import HTTPMessages
import Platform
import SelfieAPI

/// Something that needs the owner's attention, as `status` and the owner's page show it.
struct Attention: Encodable {
  enum Severity: String, Encodable {
    /// Something is broken.
    case error
    /// Something will break, or has gone wrong once.
    case warning
  }

  /// What it is about, which says what the owner's page can do about it.
  enum Subject: String, Encodable {
    case server, backup, disk, certificate, requests, setting
  }

  let severity: Severity
  let subject: Subject
  let message: String
  /// When it happened last; nil if it lasts.
  var time: String?

  init(_ severity: Severity, _ subject: Subject, _ message: String, at time: String? = nil) {
    (self.severity, self.subject, self.message, self.time) = (severity, subject, message, time)
  }
}

extension OwnerConsole {
  /// What needs attention now, the errors first.
  ///
  /// - Parameter now: in Unix milliseconds.
  func attention(_ totals: StoredTotals, now: Int64) -> [Attention] {
    guard let server else { return [Attention(.error, .server, "No server is running here.")] }
    let yesterday = Timestamp.text(unixMilliseconds: now - Attention.day)
    var all = [
      server.certificateEnd().flatMap { Attention.ofCertificate(endingAt: $0, now: now / 1000) },
      Attention.of(server.failedRequests.last.filter { $0.time > yesterday }),
    ]
    // Other tools back up the database of a cluster, and watch its disk.
    if let free = totals.freeBytes, let disk = totals.diskBytes {
      let folder = application.photos.bytes.layout?.folder
      all += [
        Attention.of(server.backups?.last, every: server.backups?.interval ?? 0, now: now),
        folder.map(FileSystem.lacksInodes) == true ? Attention(.error, .disk, StorageFailure.noInodes) : nil,
        Attention.ofDisk(free: free, of: disk, maxPhotoBytes: application.settings.maxPhotoBytes),
        folder.flatMap(StorageCheck.fileSystemWarning).map { Attention(.warning, .disk, $0) },
      ]
    }
    all += Attention.ofSettings(
      application.settings, clientURL: server.clientURL,
      hasControl: server.settings.contains { $0.name == "CONTROL" && $0.value == "on" })
    let found = all.compactMap(\.self)
    return found.filter { $0.severity == .error } + found.filter { $0.severity == .warning }
  }
}

extension Attention {
  fileprivate static let day: Int64 = 86_400_000
  /// In seconds. Programs that renew certificates do so earlier.
  private static let certificateNotice: Int64 = 14 * 86_400

  /// - Parameter backup: nil if none are made automatically.
  static func of(_ backup: LastBackup?, every interval: Int64, now: Int64) -> Attention? {
    guard let backup else {
      return Attention(
        .warning, .backup,
        "No backups are made automatically. Set BACKUP_DIR to a folder on another disk, and restart the server.")
    }
    if let error = backup.error { return Attention(.error, .backup, "The last backup failed or lacks data. \(error)") }
    guard let time = backup.time else {
      return Attention(.warning, .backup, "There is no backup yet. The server is making the first one.")
    }
    // The schedule looks at the time once a minute, and a backup takes a while.
    guard (now - time - 60_000) / 2 > interval else { return nil }
    return Attention(
      .error, .backup, "The last backup is older than two periods of BACKUP_EVERY. Make one now, and look at the log.",
      at: Timestamp.text(unixMilliseconds: time))
  }

  /// Settings that make it easy for others.
  static func ofSettings(_ settings: APISettings, clientURL: String, hasControl: Bool) -> [Attention?] {
    let isPublic = clientURL.hasPrefix("https:") || !PageAccess.canOpen(at: clientURL)
    let isOpen = isPublic && settings.publicURL != nil && settings.signup == .open && settings.getToken == .email
    let dangers = [
      (!settings.limitsFailures, "RATE_LIMIT is off, so anyone can guess passwords fast. Set it to on."),
      (settings.passwordCost < 10, "PASSWORD_COST is below 10, so stolen hashes are guessed fast. Raise it."),
      (hasControl && isPublic, "CONTROL is on, and its password lets other machines change everything. Set it to off."),
      (isOpen, "Anyone can get a token by an email address alone. Set SIGNUP=closed, or GET_TOKEN=password."),
    ]
    return dangers.map { $0 ? Attention(.warning, .setting, "\($1) Then restart the server.") : nil }
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

  /// - Parameter end: in Unix seconds, as `now` is.
  static func ofCertificate(endingAt end: Int64, now: Int64) -> Attention? {
    let (left, isOverflow) = end.subtractingReportingOverflow(now)
    guard !isOverflow, left <= certificateNotice else { return nil }
    return left > 0
      ? Attention(.warning, .certificate, "The certificate ends in \(HumanValue.duration(seconds: left)). Renew it.")
      : Attention(.error, .certificate, "The certificate has expired, so apps do not connect. Renew it.")
  }

  /// - Parameter requests: of the last day, the newest first.
  static func of(_ requests: [FailedRequests.FailedRequest]) -> Attention? {
    guard let last = requests.first else { return nil }
    let request = last.path.map { "\(last.method ?? "") \($0)" } ?? "a request that could not be read"
    return Attention(
      .error, .requests,
      "The server failed \(counted(requests.count, "request")) in the last 24 hours, the last with the status "
        + "\(last.status): \(request)", at: last.time)
  }
}
