/// SplitMix64 (Steele, Lea and Flood 2014), which yields the same numbers for the same seed on every machine.
struct SeededGenerator: Equatable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A uniform number from 0 to just below 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    // 53 bits are as many as a Double can hold.
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
