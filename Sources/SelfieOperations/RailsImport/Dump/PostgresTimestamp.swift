import HTTPMessages

/// A timestamp such as `2014-09-01 12:34:56.789012`, with or without an offset from UTC.
enum PostgresTimestamp {
  /// The timestamp in Unix milliseconds. Without an offset it is in UTC, as Rails writes it. Nil for anything else,
  /// including `infinity` and years BC. Microseconds are dropped, as the original dropped them in its responses.
  static func milliseconds(_ text: [UInt8]) -> Int64? {
    var reader = Reader(rest: text[...])
    guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
      reader.take("-"), let day = reader.number(digits: 2), reader.take(" ") || reader.take("T"),
      let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2), reader.take(":"),
      let second = reader.number(digits: 2), let milliseconds = reader.fraction(), let offset = reader.offset(),
      reader.rest.isEmpty, year > 0, (1...12).contains(month), (0...23).contains(hour), (0...59).contains(minute),
      (0...59).contains(second)
    else { return nil }
    let days = CivilDate.daysSinceEpoch(year: year, month: month, day: day)
    // 30 February would be taken for 2 March.
    guard CivilDate(unixSeconds: days * 86_400).day == day else { return nil }
    return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + milliseconds
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func number(digits count: Int) -> Int64? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Milliseconds.
    mutating func fraction() -> Int64? {
      guard take(".") else { return 0 }
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...6).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      let padded = Array(digits.prefix(3)) + [UInt8](repeating: 0x30, count: max(0, 3 - digits.count))
      return padded.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Minutes: `+00`, `+05:30`, `-03` or nothing.
    mutating func offset() -> Int64? {
      if take("Z") { return 0 }
      let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0 else { return 0 }
      guard let hours = number(digits: 2), hours < 24 else { return nil }
      guard take(":") else { return sign * hours * 60 }
      guard let minutes = number(digits: 2), minutes < 60 else { return nil }
      return sign * (hours * 60 + minutes)
    }
  }
}
