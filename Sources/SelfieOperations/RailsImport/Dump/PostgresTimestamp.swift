import HTTPMessages

/// A timestamp as pg_dump writes it, such as `2014-09-01 12:34:56.789012`, with or without an offset from UTC.
enum PostgresTimestamp {
  /// The timestamp in Unix milliseconds. Without an offset it is in UTC, as Rails writes it. Nil for anything else,
  /// including `infinity` and years BC. Microseconds are dropped, as the original dropped them in its responses.
  static func milliseconds(_ text: [UInt8]) -> Int64? {
    var rest = text[...]
    func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      return rest.popFirst() != nil
    }
    func number(_ count: Int = 2) -> Int64? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
      rest = rest.dropFirst(count)
      return Int64(String(decoding: digits, as: UTF8.self))
    }
    guard let year = number(4), skip("-"), let month = number(), skip("-"), let day = number(), skip(" "),
      let hour = number(), skip(":"), let minute = number(), skip(":"), let second = number(), year > 0,
      (1...12).contains(month), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = CivilDate.daysSinceEpoch(year: year, month: month, day: day)
    // 30 February would be taken for 2 March.
    guard CivilDate(unixSeconds: days * 86_400).day == day else { return nil }

    var milliseconds: Int64 = 0
    if skip(".") {
      let digits = rest.prefix(while: \.isASCIIDigit)
      guard (1...6).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      milliseconds = Int64((String(decoding: digits, as: UTF8.self) + "00").prefix(3)) ?? 0
    }
    var offset: Int64 = 0
    if let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : nil {
      guard let hours = number(), hours < 24, let minutes = skip(":") ? number() : 0, minutes < 60 else { return nil }
      offset = sign * (hours * 60 + minutes)
    }
    guard rest.isEmpty else { return nil }
    return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + milliseconds
  }
}
