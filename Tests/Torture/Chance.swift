/// What is drawn at random: the same numbers for the same seed (SplitMix64).
public struct Chance: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True in so many of a hundred cases.
  mutating func happens(percent: Int) -> Bool { number(1...100) <= percent }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: next()) { bytes += $0 } }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  mutating func element<Element>(of elements: [Element]) -> Element? { elements.randomElement(using: &self) }
}
