import CLinux
import Glibc
import Platform

/// A timestamp as pg_dump writes it, such as `2014-09-01 12:34:56.789012`, with or without an offset from UTC. Times
/// that clients read are written by `Timestamp` in HTTPMessages.
enum PostgresTimestamp {
  /// The timestamp in Unix milliseconds. Without an offset it is in UTC, as Rails writes it. Nil for anything else,
  /// including `infinity` and years BC. Microseconds are dropped, as the original dropped them in its responses.
  static func milliseconds(_ text: [UInt8]) -> Int64? {
    // strftime writes early years with fewer digits, so the year is read apart.
    let (digits, date, rest) = (text.prefix(4), text.dropFirst(4).prefix(15), text.dropFirst(19))
    let format = "-%m-%d %H:%M:%S"
    guard digits.allSatisfy(\.isASCIIDigit), let year = Int32(String(decoding: digits, as: UTF8.self)), year > 0,
      var time = readTime(date, format: format)
    else { return nil }
    time.tm_year = year - 1900
    let seconds = Int64(timegm(&time))
    // 30 February has become 2 March.
    guard date.elementsEqual(writtenTime(time, format: format)) else { return nil }

    let fraction = rest.prefix { !"+-".utf8.contains($0) }
    let decimals = fraction.dropFirst()
    let isFraction = fraction.first == UInt8(ascii: ".") && 1...6 ~= decimals.count
    guard fraction.isEmpty || isFraction && decimals.allSatisfy(\.isASCIIDigit) else { return nil }
    let milliseconds = Int64((String(decoding: decimals, as: UTF8.self) + "000").prefix(3)) ?? 0

    let offset = rest[fraction.endIndex...]
    guard let sign = offset.first else { return seconds * 1000 + milliseconds }
    guard let ahead = readTime(offset.dropFirst(), format: offset.count > 3 ? "%H:%M" : "%H") else { return nil }
    let minutes = Int64(ahead.tm_hour * 60 + ahead.tm_min)
    return (seconds - (sign == UInt8(ascii: "+") ? minutes : -minutes) * 60) * 1000 + milliseconds
  }
}
