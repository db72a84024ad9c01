/// Hexadecimal text: single digits, and bytes as two digits each. `Digest` in Cryptography gives the digits as a
/// `String`, and PercentEncoding.swift in HTTPMessages decodes `%XX`.
package enum Hex {
  /// The value of a digit in either case; nil for any other byte.
  package static func value(of digit: UInt8) -> UInt8? {
    if digit.isASCIIDigit { return digit - UInt8(ascii: "0") }
    let letter = (digit | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : nil
  }

  /// The lower-case digit of a value below 16.
  package static func digit(_ value: UInt8) -> UInt8 {
    value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
  }

  /// Two lower-case digits for each byte. Every request has an id made of them, so they are copied into their array at
  /// once: to append them, or to write them into its memory, takes three times as long.
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * bytes.count) { digits in
      var count = 0
      for byte in bytes {
        digits.initializeElement(at: count, to: digit(byte >> 4))
        digits.initializeElement(at: count + 1, to: digit(byte & 15))
        count += 2
      }
      return Array(digits)
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
