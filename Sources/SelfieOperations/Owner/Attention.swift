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

  let severity: Severity
  let message: String
  /// When it happened last; nil if it lasts.
  var time: String?

  init(_ severity: Severity, _ message: String, at time: String? = nil) {
    self.severity = severity
    self.message = message
    self.time = time
  }
}

extension OwnerConsole {
  /// What needs attention now, the errors first.
  ///
  /// - Parameter now: in Unix milliseconds.
  func attention(_ totals: StoredTotals, now: Int64) -> [Attention] {
    guard let server else { return [Attention(.error, "No server is running here.")] }
    let yesterday = Timestamp.text(unixMilliseconds: now - Attention.day)
    var all = [
      server.certificateEnd().flatMap { Attention.ofCertificate(endingAt: $0, now: now / 1000) },
      Attention.of(server.failedRequests.last.filter { $0.time > yesterday }),
    ]
    // Other tools back up the database of a cluster, and watch its disk.
    if let free = totals.freeBytes, let disk = totals.diskBytes {
      let folder = application.photos.bytes.layout?.folder
      all += [
        Attention.of(server.backups?.last),
        folder.map(FileSystem.lacksInodes) == true ? Attention(.error, StorageFailure.noInodes) : nil,
        Attention.ofDisk(free: free, of: disk, maxPhotoBytes: application.settings.maxPhotoBytes),
        folder.flatMap(StorageCheck.fileSystemWarning).map { Attention(.warning, $0) },
      ]
    }
    let found = all.compactMap(\.self)
    return found.filter { $0.severity == .error } + found.filter { $0.severity == .warning }
  }
}

extension Attention {
  fileprivate static let day: Int64 = 86_400_000
  /// In seconds. Programs that renew certificates do so earlier.
  private static let certificateNotice: Int64 = 14 * 86_400

  /// - Parameter backup: nil if none are made automatically.
  static func of(_ backup: LastBackup?) -> Attention? {
    guard let backup else {
      return Attention(
        .warning,
        "No backups are made automatically. Set BACKUP_DIR to a folder on another disk, and restart the server.")
    }
    if let error = backup.error { return Attention(.error, "The last backup failed or is incomplete. \(error)") }
    return backup.time == nil ? Attention(.warning, "There is no backup yet. The server is making the first one.") : nil
  }

  /// A warning at twice the free space at which `doctor` reports an issue.
  static func ofDisk(free: Int64, of disk: Int64, maxPhotoBytes: Int) -> Attention? {
    let isLow = { StorageCheck.isLow($0, of: disk, maxPhotoBytes: maxPhotoBytes) }
    guard isLow(free / 2) else { return nil }
    return Attention(
      isLow(free) ? .error : .warning,
      "The disk is nearly full: \(HumanValue.bytes(free)) of \(HumanValue.bytes(disk)) are free. On a full disk, uploads "
        + "are refused.")
  }

  /// - Parameter end: in Unix seconds, as `now` is.
  static func ofCertificate(endingAt end: Int64, now: Int64) -> Attention? {
    let (left, isOverflow) = end.subtractingReportingOverflow(now)
    guard !isOverflow, left <= certificateNotice else { return nil }
    return left > 0
      ? Attention(.warning, "The certificate ends in \(HumanValue.duration(seconds: left)). Renew it.")
      : Attention(.error, "The certificate has expired, so apps do not connect. Renew it.")
  }

  /// - Parameter requests: of the last day, the newest first.
  static func of(_ requests: [FailedRequests.FailedRequest]) -> Attention? {
    guard let last = requests.first else { return nil }
    let request = last.path.map { "\(last.method ?? "") \($0)" } ?? "a request that could not be read"
    return Attention(
      .error,
      "The server failed \(counted(requests.count, "request")) in the last 24 hours, the last with the status "
        + "\(last.status): \(request)", at: last.time)
  }
}
