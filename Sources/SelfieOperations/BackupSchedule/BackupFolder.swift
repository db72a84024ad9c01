import Glibc
import HTTPMessages
import Platform

// Finds automatic backups, and removes those that need not be kept. `ScheduledBackups` makes them.

/// The folder of the backups that the server makes automatically. Files of other names are left alone.
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

/// Which backups are kept when there is a new one. `BackupFolder` removes the rest.
package struct BackupRetention: Sendable, Equatable {
  /// The newest ones.
  var newest = 1
  /// The newest of each of the last days that have any.
  var daily = 0
  /// The newest of each of the last weeks that have any.
  var weekly = 0

  private static let maxCount = 10_000
  private static let day: Int64 = 86_400_000

  /// Reads a list such as `7d,4w`: seven days and four weeks. A number without a letter is one of backups.
  package init?(_ text: String) {
    for item in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      let item = item.filter { $0 != " " }
      let digits = item.prefix { $0.isASCII && $0.isNumber }
      guard let count = Int(digits), (1...Self.maxCount).contains(count) else { return nil }
      switch item[digits.endIndex...] {
      case "": newest = count
      case "d": daily = count
      case "w": weekly = count
      default: return nil
      }
    }
  }

  /// The backups of these times that need not be kept.
  ///
  /// - Parameter times: in Unix milliseconds.
  func expendable(_ times: [Int64]) -> [Int64] {
    let sorted = times.sorted(by: >)
    var kept = Set(sorted.prefix(newest))
    kept.formUnion(Self.newestOfEach(daily, sorted) { $0 / Self.day })
    // 1970-01-01 was a Thursday, and weeks begin on Mondays.
    kept.formUnion(Self.newestOfEach(weekly, sorted) { ($0 / Self.day + 3) / 7 })
    return sorted.filter { !kept.contains($0) }
  }

  /// The first time of each of the first periods.
  private static func newestOfEach(_ count: Int, _ times: [Int64], period: (Int64) -> Int64) -> [Int64] {
    var found: [Int64] = []
    for time in times where found.last.map(period) != period(time) { found.append(time) }
    return Array(found.prefix(count))
  }
}
