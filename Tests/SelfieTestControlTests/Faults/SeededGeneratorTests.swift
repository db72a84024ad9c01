import TestSupport
import Testing

@testable import SelfieTestControl

@Suite struct SeededGeneratorTests {
  /// The first numbers of SplitMix64 for the seed 1234567, as its authors' reference implementation gives them.
  @Test func `draws what the reference draws`() {
    var generator = SeededGenerator(seed: 1_234_567)
    for number in [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423] as [UInt64] {
      #expect(generator.next() == Double(number >> 11) * 0x1p-53)
    }
  }
}
