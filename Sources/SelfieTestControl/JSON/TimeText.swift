import Glibc
import HTTPMessages
import Platform

/// Reads durations and instants as people write them in tests.
enum TimeText {
  /// The instants that can be read, in unix milliseconds: their years have four digits.
  static let instants: ClosedRange<Int64> = 0...Timestamp.range.upperBound
  /// In milliseconds.
  private static let units = ["ms": 1.0, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
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
      let letters = rest[digits.endIndex...].prefix { $0.isLetter }
      guard let number = Double(digits), let unit = units[String(letters)] else { return nil }
      rest = rest[letters.endIndex...]
      total += number * unit
    }
    guard total <= Double(maxDuration) else { return nil }
    return Int64(total.rounded()) * (isNegative ? -1 : 1)
  }

  /// The unix milliseconds of `2026-01-01T00:00:00Z`, with or without a fraction of a second, or of `2026-01-01`.
  static func instant(_ text: String) -> Int64? {
    var text = Array(text.utf8)[...]
    if text.count == 10 { text += "T00:00:00Z".utf8 }
    let (second, rest) = (text.prefix(19), text.dropFirst(19))
    let format = "%Y-%m-%dT%H:%M:%S"
    guard var time = readTime(second, format: format), rest.last == UInt8(ascii: "Z") else { return nil }
    let milliseconds = Int64(timegm(&time)) * 1000
    // 30 February has become 2 March.
    guard instants.contains(milliseconds), second.elementsEqual(writtenTime(time, format: format)) else { return nil }
    guard rest.count > 1 else { return milliseconds }
    let digits = rest.dropFirst().dropLast()
    guard rest.first == UInt8(ascii: "."), (1...9).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    return milliseconds + (Int64((String(decoding: digits, as: UTF8.self) + "00").prefix(3)) ?? 0)
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
