import Glibc

/// A moment in UTC as a signature has it.
struct SignatureDate {
  /// Such as 20130524T000000Z.
  let timestamp: String

  init(_ secondsSince1970: Int64) {
    var (seconds, date) = (time_t(secondsSince1970), tm())
    gmtime_r(&seconds, &date)
    let parts = [date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec]
    let digits = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }
    timestamp = "\(1900 + date.tm_year)\(digits[0])\(digits[1])T\(digits[2...].joined())Z"
  }

  /// Such as 20130524.
  var day: String { String(timestamp.prefix { $0 != "T" }) }
}
