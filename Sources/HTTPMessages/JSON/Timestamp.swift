/// Times as clients read them: `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, three fraction digits always. Header fields have an
/// `HTTPDate` instead.
package enum Timestamp {
  /// The times whose year has four digits. Clients read no other years, so a time out of this range is written as the
  /// nearest one in it.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// `2026-11-20T22:24:16.641Z`.
  package static func text(unixMilliseconds: Int64) -> String {
    var buffer = ByteBuffer(capacity: 32)
    append(unixMilliseconds, to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  package static func append(_ milliseconds: Int64, to buffer: inout ByteBuffer) {
    let milliseconds = min(max(milliseconds, range.lowerBound), range.upperBound)
    // Rounded down.
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    let date = CivilDate(unixSeconds: remainder < 0 ? quotient - 1 : quotient)
    buffer.append(twoDigits: date.year / 100)
    buffer.append(twoDigits: date.year % 100, then: "-")
    buffer.append(twoDigits: date.month, then: "-")
    buffer.append(twoDigits: date.day, then: "T")
    buffer.append(twoDigits: date.hour, then: ":")
    buffer.append(twoDigits: date.minute, then: ":")
    buffer.append(twoDigits: date.second, then: ".")
    buffer.append(twoDigits: fraction / 10)
    buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction % 10), UInt8(ascii: "Z"))
  }
}

extension ByteBuffer {
  /// - Parameter number: 0 to 99.
  @inline(__always)
  fileprivate mutating func append(twoDigits number: Int64) {
    let number = UInt8(truncatingIfNeeded: number)
    append(UInt8(ascii: "0") &+ number / 10, UInt8(ascii: "0") &+ number % 10)
  }

  @inline(__always)
  fileprivate mutating func append(twoDigits number: Int64, then separator: Unicode.Scalar) {
    append(twoDigits: number)
    append(UInt8(ascii: separator))
  }
}
