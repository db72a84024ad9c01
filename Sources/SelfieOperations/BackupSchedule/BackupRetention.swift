/// Which backups are kept when there is a new one. `ScheduledBackups` removes the rest.
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
