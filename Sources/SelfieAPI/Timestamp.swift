import HTTPMessages

/// Times as clients read them: `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, three fraction digits always.
enum Timestamp {
  static func append(_ milliseconds: Int64, to bytes: inout [UInt8]) {
    // Rounded down, without the overflow that subtracting the fraction has near the ends.
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    let date = CivilDate(unixSeconds: remainder < 0 ? quotient - 1 : quotient)
    Decimal.append(UInt64(clamping: date.year), width: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Decimal.append(UInt64(clamping: date.month), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Decimal.append(UInt64(clamping: date.day), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    Decimal.append(UInt64(clamping: date.hour), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Decimal.append(UInt64(clamping: date.minute), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Decimal.append(UInt64(clamping: date.second), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    Decimal.append(UInt64(clamping: fraction), width: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }
}

/// Decimal digits without a String in between.
enum Decimal {
  /// - Parameter width: at least so many digits, zeros in front.
  static func append(_ number: UInt64, width: Int = 1, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number
      var start = digits.count
      while rest > 0 || digits.count - start < min(width, digits.count) {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }
}
