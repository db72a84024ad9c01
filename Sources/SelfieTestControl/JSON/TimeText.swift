import HTTPMessages
import Platform

/// Reads durations and instants as people write them in tests.
enum TimeText {
  /// The instants that can be read, in unix milliseconds: their years have four digits.
  static let instants: ClosedRange<Int64> = 0...Timestamp.range.upperBound
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]
  /// A hundred years. A longer duration is a mistake.
  private static let maxDuration: Int64 = 36_525 * 86_400_000

  /// The milliseconds of `250ms`, `1.5s`, `15m`, `25h`, `2d` or `1h30m`, with or without a `-` in front.
  static func duration(_ text: String) -> Int64? {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest.removeFirst() }
    guard !rest.isEmpty else { return nil }
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      guard let number = Double(digits) else { return nil }
      rest = rest[digits.endIndex...]
      let letters = rest.prefix { $0.isLetter }
      guard let unit = units.first(where: { $0.name == letters }) else { return nil }
      rest = rest[letters.endIndex...]
      total += number * Double(unit.milliseconds)
    }
    guard total <= Double(maxDuration) else { return nil }
    return Int64(total.rounded()) * (isNegative ? -1 : 1)
  }

  /// The unix milliseconds of `2026-01-01T00:00:00Z`, with or without a fraction of a second, or of `2026-01-01`.
  static func instant(_ text: String) -> Int64? {
    let text = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= text.count, text[range].allSatisfy(\.isASCIIDigit) else { return nil }
      return text[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
      index < text.count && text[index] == UInt8(ascii: character)
    }
    guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
      let day = number(8..<10), (1970...9999).contains(year), (1...12).contains(month)
    else { return nil }
    let days = CivilDate.daysSinceEpoch(year: year, month: month, day: day)
    // A day that the month does not have counts as one of another month.
    guard CivilDate(unixSeconds: days * 86_400).day == day else { return nil }
    if text.count == 10 { return days * 86_400_000 }
    guard has("T", at: 10), let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16),
      has(":", at: 16), let second = number(17..<19), hour < 24, minute < 60, second < 60, has("Z", at: text.count - 1)
    else { return nil }
    let time = ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000
    if text.count == 20 { return time }
    let digits = 20..<max(20, text.count - 1)
    guard has(".", at: 19), (1...9).contains(digits.count), var nanoseconds = number(digits) else { return nil }
    for _ in digits.count..<9 { nanoseconds *= 10 }
    return time + nanoseconds / 1_000_000
  }
}

extension Duration {
  /// Whole milliseconds, limited to the range of Int64.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isTooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return isTooLong || isTooMuch ? (seconds < 0 ? .min : .max) : sum
  }
}
