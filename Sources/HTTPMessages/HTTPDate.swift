/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 §5.6.7).
public struct HTTPDate: Sendable, Equatable, CustomStringConvertible {
  public let unixSeconds: Int64

  public init(unixSeconds: Int64) {
    self.unixSeconds = unixSeconds
  }

  /// Reads an IMF-fixdate; nil for anything else, the two obsolete forms included.
  public init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[5] == "GMT", parts[0].count == 4, parts[1].count == 2, parts[3].count == 4,
      let day = Int64(parts[1]), let month = Self.months.firstIndex(of: String(parts[2])), let year = Int64(parts[3])
    else { return nil }
    let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, clock.allSatisfy({ $0.count == 2 }), let hour = Int64(clock[0]),
      let minute = Int64(clock[1]), let second = Int64(clock[2]), (1...31).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second), (1...9999).contains(year)
    else { return nil }
    let days = CivilDate.daysSinceEpoch(year: year, month: Int64(month) + 1, day: day)
    unixSeconds = ((days * 24 + hour) * 60 + minute) * 60 + second
  }

  public var description: String { String(decoding: bytes, as: UTF8.self) }

  public var bytes: [UInt8] {
    let date = CivilDate(unixSeconds: unixSeconds)
    var text = ByteBuffer(capacity: 32)
    text.append(Array(Self.weekdays[Int(((date.daysSinceEpoch + 4) % 7 + 7) % 7)].utf8))
    text.append(", ")
    text.append(decimal: UInt64(clamping: date.day), width: 2)
    text.append(" ")
    text.append(Array(Self.months[Int(date.month) - 1].utf8))
    text.append(" ")
    text.append(decimal: UInt64(clamping: date.year), width: 4)
    text.append(" ")
    text.append(decimal: UInt64(clamping: date.hour), width: 2)
    text.append(":")
    text.append(decimal: UInt64(clamping: date.minute), width: 2)
    text.append(":")
    text.append(decimal: UInt64(clamping: date.second), width: 2)
    text.append(" GMT")
    return text.bytes
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// A UTC date and time in the Gregorian calendar.
///
/// The algorithms are Howard Hinnant's `days_from_civil` and `civil_from_days`.
public struct CivilDate: Sendable {
  public let year: Int64
  public let month: Int64
  public let day: Int64
  public let hour: Int64
  public let minute: Int64
  public let second: Int64
  let daysSinceEpoch: Int64

  public init(unixSeconds: Int64) {
    let secondOfDay = ((unixSeconds % 86_400) + 86_400) % 86_400
    daysSinceEpoch = (unixSeconds - secondOfDay) / 86_400
    hour = secondOfDay / 3_600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60

    // Years begin in March here, so that the leap day is their last; eras have 400 years.
    let shifted = daysSinceEpoch + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01 to a day, whose month is from 1 to 12.
  public static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
