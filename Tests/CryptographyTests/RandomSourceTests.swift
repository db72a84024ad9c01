import Cryptography
import Testing

@Suite struct RandomSourceTests {
  /// As many bytes as there are stand for each character, so equally likely bytes make equally likely characters.
  @Test(arguments: [(52, false), (62, true)])
  func `no character is likelier than another`(size: Int, withDigits: Bool) {
    // One request, so that no byte of the four cycles is skipped.
    let source = RandomSource { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
    let length = size * 16
    let text = withDigits ? source.lettersAndDigits(length) : source.letters(length)
    var counts: [Character: Int] = [:]
    for character in text { counts[character, default: 0] += 1 }
    #expect(counts.count == size)
    #expect(counts.values.allSatisfy { $0 == 16 })
    #expect(counts.keys.allSatisfy { $0.isASCII && ($0.isLetter || (withDigits && $0.isNumber)) })
  }

  @Test(arguments: [0, 1, 24, 41, 64, 1000])
  func `exactly as many as asked for`(count: Int) {
    #expect(RandomSource.system.letters(count).utf8.count == count)
    #expect(RandomSource.system.lettersAndDigits(count).utf8.count == count)
    #expect(RandomSource.system.bytes(count).count == count)
  }

  @Test func `a UUID has its version and its variant`() {
    #expect(RandomSource { [UInt8](repeating: 0xff, count: $0) }.uuid() == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(RandomSource { [UInt8](repeating: 0, count: $0) }.uuid() == "00000000-0000-4000-8000-000000000000")
    #expect(RandomSource.system.uuid() != RandomSource.system.uuid())
  }

  @Test func `the system's bytes do not repeat`() {
    #expect(RandomSource.system.bytes(32) != RandomSource.system.bytes(32))
    #expect(RandomSource.system.letters(24) != RandomSource.system.letters(24))
  }
}
