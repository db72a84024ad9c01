/// Times as clients read them: `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, three fraction digits always.
package enum Timestamp {
  package static func append(_ milliseconds: Int64, to buffer: inout ByteBuffer) {
    // Rounded down, without the overflow that subtracting the fraction has near the ends.
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    let date = CivilDate(unixSeconds: remainder < 0 ? quotient - 1 : quotient)
    if (0...9999).contains(date.year) {
      buffer.append(twoDigits: date.year / 100)
      buffer.append(twoDigits: date.year % 100)
    } else {
      buffer.append(decimal: UInt64(clamping: date.year), width: 4)
    }
    buffer.append(UInt8(ascii: "-"))
    buffer.append(twoDigits: date.month)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(twoDigits: date.day)
    buffer.append(UInt8(ascii: "T"))
    buffer.append(twoDigits: date.hour)
    buffer.append(UInt8(ascii: ":"))
    buffer.append(twoDigits: date.minute)
    buffer.append(UInt8(ascii: ":"))
    buffer.append(twoDigits: date.second)
    buffer.append(UInt8(ascii: "."))
    buffer.append(twoDigits: fraction / 10)
    buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction % 10))
    buffer.append(UInt8(ascii: "Z"))
  }
}

extension ByteBuffer {
  /// - Parameter number: 0 to 99.
  fileprivate mutating func append(twoDigits number: Int64) {
    let number = UInt8(truncatingIfNeeded: number)
    append(UInt8(ascii: "0") &+ number / 10)
    append(UInt8(ascii: "0") &+ number % 10)
  }
}
