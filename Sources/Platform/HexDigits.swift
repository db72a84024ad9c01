/// 128 bits as text.
package enum HexDigits {
  /// 32 lower-case hexadecimal digits, the first half of them those of `high`.
  package static func of(_ high: UInt64, _ low: UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digits, count in
      for half in [high, low] {
        var rest = half
        for index in stride(from: count + 15, through: count, by: -1) {
          let digit = UInt8(truncatingIfNeeded: rest & 15)
          digits[index] = digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
          rest >>= 4
        }
        count += 16
      }
    }
  }
}
