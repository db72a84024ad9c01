import Platform

/// MurmurHash3_x64_128 with seed 0, by Austin Appleby, who put it into the public domain: tells texts apart for ETags.
/// `ETag` makes the tag, and `Digest` in Cryptography has the digests that must be secure.
///
/// It is no cryptographic digest, and need not be one: a user who makes two lists of photos with one fingerprint
/// can only be shown an old one of their own. SHA-256 took a fifth of the time of a list of a hundred photos; this takes a
/// hundredth.
///
/// - Returns: 32 hexadecimal digits.
func murmurHash3(_ bytes: [UInt8]) -> [UInt8] {
  let (high, low) = bytes.withUnsafeBytes { hash($0) }
  return Hex.encode(high, low)
}

private let first: UInt64 = 0x87c3_7b91_1142_53d5
private let second: UInt64 = 0x4cf5_ad43_2745_937f

private func hash(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
  var (one, two): (UInt64, UInt64) = (0, 0)
  let blocks = bytes.count / 16
  for block in 0..<blocks {
    let start = block * 16
    one ^= mixFirst(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
    one = (rotated(one, 27) &+ two) &* 5 &+ 0x52dc_e729
    two ^= mixSecond(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)))
    two = (rotated(two, 31) &+ one) &* 5 &+ 0x3849_5ab5
  }
  let tail = bytes[(blocks * 16)...]
  two ^= mixSecond(number(tail.dropFirst(8)))
  one ^= mixFirst(number(tail.prefix(8)))

  one ^= UInt64(bytes.count)
  two ^= UInt64(bytes.count)
  one &+= two
  two &+= one
  one = finished(one)
  two = finished(two)
  one &+= two
  two &+= one
  return (one, two)
}

private func mixFirst(_ value: UInt64) -> UInt64 { rotated(value &* first, 31) &* second }

private func mixSecond(_ value: UInt64) -> UInt64 { rotated(value &* second, 33) &* first }

/// Up to eight bytes, the first the lowest.
private func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
  bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

private func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }

private func finished(_ value: UInt64) -> UInt64 {
  var value = value
  value ^= value >> 33
  value &*= 0xff51_afd7_ed55_8ccd
  value ^= value >> 33
  value &*= 0xc4ce_b9fe_1a85_ec53
  value ^= value >> 33
  return value
}
