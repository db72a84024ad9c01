/// A seeded generator, so that a failing property test fails again.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// At most `maxCount` of the given bytes.
  package mutating func bytes(from alphabet: [UInt8], maxCount: Int) -> [UInt8] {
    (0..<Int.random(in: 0...maxCount, using: &self)).compactMap { _ in alphabet.randomElement(using: &self) }
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: next()) { bytes += $0 } }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True in so many of a hundred cases.
  package mutating func happens(percent: Int) -> Bool { number(1...100) <= percent }
}
