import Cryptography
import Testing

@Suite struct DigestTests {
  /// FIPS 180-4 and NIST's example values.
  static let vectors: [(String, String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ]

  @Test(arguments: vectors)
  func `SHA-256 at once and in pieces`(text: String, hex: String) {
    #expect(Digest.hex(Digest.sha256(Array(text.utf8))) == hex)
    let digest = SHA256()
    for byte in text.utf8 { digest.update([byte]) }
    #expect(Digest.hex(digest.finish()) == hex)
    digest.update(Array(text.utf8)[...])
    #expect(Digest.hex(digest.finish()) == hex, "it begins anew after finish")
  }

  @Test func `threads do not mix their digests`() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          let text = [UInt8](repeating: UInt8(task), count: 1000)
          let pieces = SHA256()
          pieces.update(text)
          let expected = pieces.finish()
          return (0..<500).allSatisfy { _ in Digest.sha256(text) == expected }
        }
      }
      for await agreed in group { #expect(agreed) }
    }
  }

  /// Test cases 2 and 6 of RFC 4231.
  @Test(arguments: [
    ("Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (
      "", "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `HMAC gives what RFC 4231 says`(key: String, text: String, code: String) {
    let key = key.isEmpty ? [UInt8](repeating: 0xaa, count: 131) : Array(key.utf8)
    #expect(Digest.hex(Digest.hmacSHA256(Array(text.utf8), key: key)) == code)
  }

  @Test(
    arguments: [("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false), ("", "a", false)])
  func `bytes compared in constant time are equal only to the same bytes`(left: String, right: String, isEqual: Bool) {
    #expect(constantTimeEqual(Array(left.utf8), Array(right.utf8)) == isEqual)
  }
}
