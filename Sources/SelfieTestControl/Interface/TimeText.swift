import HTTPMessages

/// Reads durations and instants as people write them in tests.
enum TimeText {
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
    var reader = Digits(text: Array(text.utf8))
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), (1970...9999).contains(year), (1...12).contains(month)
    else { return nil }
    let days = CivilDate.daysSinceEpoch(year: year, month: month, day: day)
    // A day that the month does not have counts as one of another month.
    guard CivilDate(unixSeconds: days * 86_400).day == day else { return nil }
    if reader.isAtEnd { return days * 86_400_000 }
    guard reader.skip("T"), let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2),
      reader.skip(":"), let second = reader.number(2), hour < 24, minute < 60, second < 60
    else { return nil }
    var fraction: Int64 = 0
    if reader.skip(".") {
      guard let milliseconds = reader.fraction() else { return nil }
      fraction = milliseconds
    }
    guard reader.skip("Z"), reader.isAtEnd else { return nil }
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction
  }

  private struct Digits {
    let text: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func number(_ count: Int) -> Int64? {
      guard index + count <= text.count else { return nil }
      var number: Int64 = 0
      for _ in 0..<count {
        let digit = text[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        number = number * 10 + Int64(digit)
        index += 1
      }
      return number
    }

    /// The milliseconds of a fraction of one to nine digits.
    mutating func fraction() -> Int64? {
      var (milliseconds, count): (Int64, Int) = (0, 0)
      while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit < 10 {
        if count < 3 { milliseconds = milliseconds * 10 + Int64(digit) }
        (count, index) = (count + 1, index + 1)
      }
      guard (1...9).contains(count) else { return nil }
      for _ in count..<max(3, count) { milliseconds *= 10 }
      return milliseconds
    }
  }
}
