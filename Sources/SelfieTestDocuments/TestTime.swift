// Times and durations in documents. `WorldClock` in SelfieTestControl has the time that a test has set.

/// A time in a document, such as `2026-01-01T00:00:00Z`, from 1970 to 9999.
public struct TestInstant: Codable, Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
  /// Since 1970.
  public let milliseconds: Int64

  /// The times that a document can hold, in milliseconds since 1970.
  public static let range: ClosedRange<Int64> = 0...253_402_300_799_999

  /// The closest time that a document can hold.
  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
  }

  public init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }

  /// Reads `2026-01-01T00:00:00Z`, with or without a fraction of a second, or `2026-01-01`.
  public init?(_ text: String) {
    let bytes = Array((text.utf8.count == 10 ? "\(text)T00:00:00Z" : text).utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ places: Range<Int>) -> Int64 { bytes[places].reduce(0) { $0 * 10 + Int64($1) - 0x30 } }
    var fraction: Int64 = 0
    if bytes.count > 20 {
      let places = 20..<(bytes.count - 1)
      guard bytes[19] == UInt8(ascii: "."), (1...9).contains(places.count),
        bytes[places].allSatisfy({ (0x30...0x39).contains($0) })
      else { return nil }
      fraction = number(places) * 1000 / places.reduce(1) { power, _ in power * 10 }
    }
    let hours = Self.days(number(0..<4), number(5..<7), number(8..<10)) * 24 + number(11..<13)
    self.init(milliseconds: (hours * 60 + number(14..<16)) * 60_000 + number(17..<19) * 1000 + fraction)
    // What is no time would be written in another way: 30 February as 2 March.
    guard self.text.utf8.prefix(19).elementsEqual(bytes.prefix(19)) else { return nil }
  }

  /// Such as `2026-01-01T00:00:00.000Z`.
  public var text: String {
    let date = CalendarDate(day: milliseconds / 86_400_000)
    let second = milliseconds / 1000 % 86_400
    let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60)
    return """
      \(Self.padded(date.year, to: 4))-\(Self.padded(date.month, to: 2))-\(Self.padded(date.day, to: 2))\
      T\(Self.padded(hours, to: 2)):\(Self.padded(minutes, to: 2)):\(Self.padded(seconds, to: 2))\
      .\(Self.padded(milliseconds % 1000, to: 3))Z
      """
  }

  /// A number with zeros before it.
  private static func padded(_ number: Int64, to digits: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The days from 1970 to a date. March is the first month, so that a leap day is the last of its year.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (year, month) = month < 3 ? (year - 1, month + 9) : (year, month - 3)
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469
  }

  public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

  public init(from decoder: any Decoder) throws {
    self = try .read(from: decoder, "must be an instant such as \"2026-01-01T00:00:00Z\"", Self.init)
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(text)
  }
}

/// A date of the proleptic Gregorian calendar.
private struct CalendarDate {
  let year: Int64
  let month: Int64
  let day: Int64

  /// - Parameter day: the days since 1970-01-01.
  init(day: Int64) {
    // From 0000-03-01: with March as the first month, a leap day is the last of its year.
    let days = day + 719_468
    let (era, dayOfEra) = (days / 146_097, days % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (dayOfYear * 5 + 2) / 153
    self.day = dayOfYear - (month * 153 + 2) / 5 + 1
    self.month = month < 10 ? month + 3 : month - 9
    year = era * 400 + yearOfEra + (month < 10 ? 0 : 1)
  }
}

/// A duration in a document: `250ms`, `1.5s`, `15m`, `25h`, `2d` or `1h30m`, with or without a `-` in front, or a number of
/// seconds.
///
/// It stands where `Duration` would, which Macs have from version 13 on.
public struct TestDuration: Codable, Sendable, Hashable, Comparable {
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static let zero = milliseconds(0)

  public static func milliseconds(_ count: Int64) -> TestDuration { TestDuration(milliseconds: count) }

  /// A hundred years at most.
  public static func seconds(_ count: Double) -> TestDuration {
    milliseconds(Int64(Swift.min(Swift.max(count * 1000, -max), max).rounded()))
  }

  public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

  private static let units = ["ms": 1.0, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
  /// A hundred years. A longer duration is a mistake.
  private static let max = 36_525 * 86_400_000.0

  public init?(_ text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest.removeFirst() }
    guard !rest.isEmpty else { return nil }
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let letters = rest[digits.endIndex...].prefix { $0.isLetter }
      guard let number = Double(digits), let unit = Self.units[String(letters)] else { return nil }
      rest = rest[letters.endIndex...]
      total += number * unit
    }
    guard total <= Self.max else { return nil }
    milliseconds = Int64(total.rounded()) * (isNegative ? -1 : 1)
  }

  public init(from decoder: any Decoder) throws {
    if let seconds = try? decoder.singleValueContainer().decode(Double.self), abs(seconds * 1000) <= Self.max {
      milliseconds = Int64((seconds * 1000).rounded())
    } else {
      let expected = "must be a duration such as \"250ms\", \"30s\", \"15m\", \"25h\", \"2d\""
      self = try .read(from: decoder, expected, Self.init)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode("\(milliseconds)ms")
  }
}

extension Decodable {
  /// Reads a value that is written as a text.
  ///
  /// - Parameter expected: the end of a sentence about another value.
  fileprivate static func read(
    from decoder: any Decoder, _ expected: String, _ make: (String) -> Self?
  ) throws -> Self {
    guard let text = try? decoder.singleValueContainer().decode(String.self), let value = make(text) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: expected))
    }
    return value
  }
}
