import HTTPMessages
import Platform

/// The folder of the backups that the server makes automatically. Files of other names are left alone.
struct BackupFolder {
  private static let prefix = "selfie-"
  private static let suffix = ".tar"

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

  /// Removes the backups that need not be kept.
  func prune(keeping retention: BackupRetention) throws {
    let backups = try backups()
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
    return prefix + time.replacing(":", with: "-") + "Z" + suffix
  }

  /// The time of a name in Unix milliseconds; nil if no backup has it.
  static func time(of name: String) -> Int64? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let parts = name.dropFirst(prefix.count).dropLast(suffix.count + 1).split { "-T".contains($0) }
    let numbers = parts.compactMap { $0.utf8.count <= 4 ? Int64($0) : nil }
    guard numbers.count == 6, parts.count == 6, (1...12).contains(numbers[1]) else { return nil }
    let days = CivilDate.daysSinceEpoch(year: numbers[0], month: numbers[1], day: numbers[2])
    let seconds = ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
    // Another name comes back if this is no date, or is written in another way.
    return self.name(at: seconds * 1000) == name ? seconds * 1000 : nil
  }
}
