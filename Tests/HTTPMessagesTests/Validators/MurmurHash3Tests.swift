import Testing

@testable import HTTPMessages

@Suite struct MurmurHash3Tests {
  /// From the reference implementation, as mmh3 5 for Python has it.
  @Test(arguments: [
    ("", "00000000000000000000000000000000"), ("a", "85555565f6597889e6b53a48510e895a"),
    ("hello", "cbd8a7b341bd9b025b1e906a48ae1d19"), ("hello, world", "342fac623a5ebc8e4cdcbc079642414d"),
    ("0123456789abcdef", "4be06d94cf4ad1a787c35b5c63a708da"), ("0123456789abcdef0", "eb24ae8785a5c07573fb68b3313128ca"),
    ("The quick brown fox jumps over the lazy dog", "e34bbc7bbc071b6c7a433ca9c49a9347"),
  ])
  func `fingerprints are those of MurmurHash3`(text: String, expected: String) {
    #expect(String(decoding: murmurHash3(Array(text.utf8)), as: UTF8.self) == expected)
  }

  @Test func `all bytes count, wherever they are`() {
    let bytes = [UInt8](0...255)
    #expect(String(decoding: murmurHash3(bytes), as: UTF8.self) == "1c99c313dc6f12b970d6077fab34cc1e")
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(murmurHash3(changed) != murmurHash3(bytes))
    }
  }
}
