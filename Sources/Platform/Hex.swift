/// Hexadecimal digits.
package enum Hex {
  /// The value of a digit in either case; nil for any other byte.
  @inlinable
  package static func value(of digit: UInt8) -> UInt8? {
    if digit.isASCIIDigit { return digit - UInt8(ascii: "0") }
    let letter = (digit | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : nil
  }

  /// The lower-case digit of a value below 16.
  @inlinable
  package static func digit(_ value: UInt8) -> UInt8 {
    value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
  }

  /// Two lower-case digits for each byte. Every request has an id made of them, so they are written straight into the
  /// array's memory.
  @inlinable
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { digits, count in
      for byte in bytes {
        digits[count] = digit(byte >> 4)
        digits[count + 1] = digit(byte & 15)
        count += 2
      }
    }
  }

  /// The 32 lower-case digits of 128 bits.
  package static func encode(_ high: UInt64, _ low: UInt64) -> [UInt8] {
    var bytes = (high.bigEndian, low.bigEndian)
    return withUnsafeBytes(of: &bytes) { encode($0) }
  }

  /// The bytes that an even number of digits stands for; nil for anything else.
  package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for (index, digit) in digits.enumerated() {
      guard let value = value(of: digit) else { return nil }
      if index.isMultiple(of: 2) { bytes.append(value << 4) } else { bytes[index / 2] |= value }
    }
    return bytes
  }
}
