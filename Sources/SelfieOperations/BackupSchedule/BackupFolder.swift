import Glibc
import HTTPMessages
import Platform

/// The folder of the backups that the server makes automatically. Files of other names are left alone.
struct BackupFolder {
  let path: String

  /// The newest first.
  func backups() throws -> [(time: Int64, path: String)] {
    try FileSystem.names(in: path)
      .compactMap { name in Self.time(of: name).map { (time: $0, path: "\(path)/\(name)") } }
      .filter { try FileSystem.status($0.path)?.kind == .file }
      .sorted { $0.time > $1.time }
  }

  /// Removes the files of a backup that was killed. None may be under way.
  func removePartials() throws {
    let suffix = PartialFile.suffix
    for name in try FileSystem.names(in: path) where name.hasSuffix(suffix) {
      guard Self.time(of: String(name.dropLast(suffix.count))) != nil else { continue }
      try FileSystem.remove("\(path)/\(name)")
    }
  }

  /// Removes the backups that need not be kept. Those of the future are left alone: the clock was set back since.
  func prune(keeping retention: BackupRetention, now: Int64) throws {
    let backups = try backups().filter { $0.time <= now }
    let expendable = Set(retention.expendable(backups.map(\.time)))
    for backup in backups where expendable.contains(backup.time) { try FileSystem.remove(backup.path) }
    if !expendable.isEmpty { try FileSystem.syncFolder(path) }
  }

  // MARK: - Names

  /// A name such as `selfie-2026-11-21T19-30-00Z.tar`. Names in alphabetical order are in the order of time.
  ///
  /// - Parameter milliseconds: Unix time, of which the name has the seconds.
  static func name(at milliseconds: Int64) -> String {
    let time = Timestamp.text(unixMilliseconds: milliseconds).prefix { $0 != "." }
    return "selfie-\(time.replacing(":", with: "-"))Z.tar"
  }

  /// The time of a name in Unix milliseconds; nil if no backup has it.
  static func time(of name: String) -> Int64? {
    guard var time = readTime(Array(name.utf8)[...], format: "selfie-%Y-%m-%dT%H-%M-%SZ.tar") else { return nil }
    let milliseconds = Int64(timegm(&time)) * 1000
    // 30 February has become 2 March.
    return self.name(at: milliseconds) == name ? milliseconds : nil
  }
}
