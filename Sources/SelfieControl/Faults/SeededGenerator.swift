/// SplitMix64 (Steele, Lea and Flood 2014): the same seed gives the same numbers on every machine.
struct SeededGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// From 0 to just below 1, evenly.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    // As many bits as a Double holds.
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
