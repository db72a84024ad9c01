import Glibc
import Platform

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 §5.6.7). Times in JSON are written
/// by `Timestamp`.
package struct HTTPDate: Sendable, Equatable, CustomStringConvertible {
  package let unixSeconds: Int64

  package init(unixSeconds: Int64) {
    self.unixSeconds = unixSeconds
  }

  /// Reads a date in any of the three forms of RFC 9110 §5.6.7; nil for anything else.
  ///
  /// - Parameter now: Unix seconds, by which the century of a year of two digits is found.
  package init?(_ text: ArraySlice<UInt8>, now: Int64) {
    guard text.count <= Self.maxBytes else { return nil }
    var time = readTime(text, format: Self.format) ?? readTime(text, format: "%a %b %e %H:%M:%S %Y")
    if time == nil, let short = readTime(text, format: "%A, %d-%b-%y %H:%M:%S GMT") {
      time = Self.withCentury(short, now: now)
    }
    // An earlier year has fewer than four digits.
    guard var time, time.tm_year >= Self.yearZero + 1000 else { return nil }
    unixSeconds = Int64(timegm(&time))
  }

  /// The longest form has 33. Longer texts take time: those that are not UTF-8 are repaired, for each form.
  private static let maxBytes = 64

  /// The year 0 of `tm`, whose years are counted from 1900.
  private static let yearZero: Int32 = -1900

  /// Reads the year of two digits anew: what seems to be more than fifty years ahead is the last year in the past that
  /// ends so.
  private static func withCentury(_ time: tm, now: Int64) -> tm {
    var time = time
    let thisYear = Int32(clamping: CivilDate(unixSeconds: now).year)
    let year = thisYear / 100 * 100 + time.tm_year % 100
    time.tm_year = yearZero + (year > thisYear + 50 ? year - 100 : year)
    return time
  }

  package var description: String { String(decoding: bytes, as: UTF8.self) }

  package var bytes: [UInt8] {
    var (seconds, time) = (time_t(unixSeconds), tm())
    gmtime_r(&seconds, &time)
    return writtenTime(time, format: Self.format)
  }

  private static let format = "%a, %d %b %Y %H:%M:%S GMT"
}

/// A UTC date and time in the Gregorian calendar.
///
/// The algorithm is Howard Hinnant's `civil_from_days`.
package struct CivilDate: Sendable {
  package let year: Int64
  package let month: Int64
  package let day: Int64
  package let hour: Int64
  package let minute: Int64
  package let second: Int64

  package init(unixSeconds: Int64) {
    let secondOfDay = ((unixSeconds % 86_400) + 86_400) % 86_400
    let daysSinceEpoch = (unixSeconds - secondOfDay) / 86_400
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
}
