import HTTPMessages
import SelfieAPI

/// The name of a backup that the server makes by itself: `selfie-2026-11-21T19-30-00Z.tar`. Names in the order of letters
/// are in the order of time.
enum BackupName {
  private static let prefix = "selfie-"
  private static let suffix = ".tar"
  /// What stands behind the name while the backup is made.
  static let partialSuffixes = [".partial", ".manifest.partial"]

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
    // Whatever is no date, or is written otherwise, gives another name.
    return self.name(at: seconds * 1000) == name ? seconds * 1000 : nil
  }
}
