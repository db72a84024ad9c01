import Glibc
import HTTPMessages
import Platform

/// The folder of the backups that the server makes automatically. Files of other names are left alone.
/// `BackupRetention` chooses the backups to remove.
struct BackupFolder {
  let path: String
  /// The identity of the storage whose backups these are. Those of others are left alone, too.
  let storage: String

  /// The newest first.
  func backups() throws -> [(time: Int64, path: String)] {
    try all().filter { $0.storage == storage }.map { ($0.time, $0.path) }
  }

  /// Also those of other storages, the newest first.
  func all() throws -> [(time: Int64, storage: String?, path: String)] {
    try FileSystem.names(in: path)
      .compactMap { name in Self.parts(of: name).map { ($0.time, $0.storage, "\(path)/\(name)") } }
      .filter { try FileSystem.status($0.path)?.kind == .file }
      .sorted { $0.time > $1.time }
  }

  /// Removes the files of a backup that was killed. None may be under way.
  func removePartials() throws {
    for name in try FileSystem.names(in: path) {
      guard let suffix = name.firstRange(of: PartialFile.suffix),
        Self.parts(of: String(name[..<suffix.lowerBound]))?.storage == storage
      else { continue }
      try FileSystem.removeTree("\(path)/\(name)")
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

  /// A name such as `selfie-2026-11-21T19-30-00Z-9f86d081884c7d65.tar`. Names in alphabetical order are in the order of
  /// time.
  ///
  /// - Parameters:
  ///   - milliseconds: Unix time, of which the name has the seconds.
  ///   - storage: its identity; nil for a name as earlier versions gave them.
  static func name(at milliseconds: Int64, of storage: String?) -> String {
    let time = Timestamp.text(unixMilliseconds: milliseconds).prefix { $0 != "." }
    return "selfie-\(time.replacing(":", with: "-"))Z\(storage.map { "-\($0)" } ?? "").tar"
  }

  /// The time of a name in Unix milliseconds, and the identity; nil if no backup has the name.
  static func parts(of name: String) -> (time: Int64, storage: String?)? {
    let beginning = name.prefix { $0 != "Z" }
    guard var time = readTime(Array(beginning.utf8)[...], format: "selfie-%Y-%m-%dT%H-%M-%S") else { return nil }
    let (milliseconds, end) = (Int64(timegm(&time)) * 1000, name.dropFirst(beginning.count + 2))
    let storage = end == "tar" ? nil : String(end.dropLast(".tar".count))
    // 30 February has become 2 March.
    return self.name(at: milliseconds, of: storage) == name ? (milliseconds, storage) : nil
  }
}
