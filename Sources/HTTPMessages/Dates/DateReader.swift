import Platform

/// Reads the forms of a date in HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
struct DateReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) {
    rest = text
  }

  /// The date, if it is all that there is.
  mutating func date(now: Int64) -> HTTPDate? {
    let weekday = rest.prefix(while: \.isASCIILetter)
    rest = rest[weekday.endIndex...]
    guard let index = HTTPDate.weekdays.firstIndex(where: { weekday.starts(with: $0.utf8) }) else { return nil }
    let date: HTTPDate?
    if weekday.count == 3 {
      date = skip(", ") ? current(separator: " ", yearDigits: 4, now: now) : asctime()
    } else {
      let isName = weekday.dropFirst(3).elementsEqual(Self.weekdayEnds[index].utf8)
      date = isName && skip(", ") ? current(separator: "-", yearDigits: 2, now: now) : nil
    }
    return rest.isEmpty ? date : nil
  }

  private static let weekdayEnds = ["day", "day", "sday", "nesday", "rsday", "day", "urday"]

  /// `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`
  private mutating func current(separator: StaticString, yearDigits: Int, now: Int64) -> HTTPDate? {
    guard let day = number(2), skip(separator), let month = month(), skip(separator), var year = number(yearDigits),
      skip(" "), let second = secondOfDay(), skip(" GMT")
    else { return nil }
    if yearDigits == 2 {
      let thisYear = CivilDate(unixSeconds: now).year
      year += thisYear / 100 * 100
      // What seems to be more than fifty years ahead is the last year in the past that ends so.
      if year > thisYear + 50 { year -= 100 }
    }
    return HTTPDate(year: year, month: month, day: day, second: second)
  }

  /// ` Nov  6 08:49:37 1994`
  private mutating func asctime() -> HTTPDate? {
    guard skip(" "), let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "),
      let second = secondOfDay(), skip(" "), let year = number(4)
    else { return nil }
    return HTTPDate(year: year, month: month, day: day, second: second)
  }

  private mutating func month() -> Int64? {
    guard let index = HTTPDate.months.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
    rest = rest.dropFirst(3)
    return Int64(index) + 1
  }

  private mutating func secondOfDay() -> Int64? {
    guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60, skip(":"),
      let second = number(2), second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  private mutating func number(_ count: Int) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    rest = rest[digits.endIndex...]
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    guard text.withUTF8Buffer({ rest.starts(with: $0) }) else { return false }
    rest = rest.dropFirst(text.utf8CodeUnitCount)
    return true
  }
}

extension HTTPDate {
  fileprivate init?(year: Int64, month: Int64, day: Int64, second: Int64) {
    guard (1...31).contains(day), year > 0 else { return nil }
    self.init(
      unixSeconds: CivilDate.daysSinceEpoch(year: year, month: month, day: day) * 86_400 + second)
  }
}
