/// SplitMix64 (Steele, Lea and Flood 2014), which yields the same numbers for the same seed on every machine.
struct SeededGenerator: Equatable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A uniform number from 0 to just below 1.
  mutating func next() -> Double {
    // 53 bits are as many as a Double can hold.
    Double(number() >> 11) * 0x1p-53
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let number = number()
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return Array(bytes.prefix(count))
  }

  mutating func number() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
