import Cryptography
import Testing

@Suite struct Base64Tests {
  @Test(
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func `encodes with padding (RFC 4648, section 10)`(plain: String, text: String) {
    #expect(Base64.encode(Array(plain.utf8)) == text)
    #expect(Base64.decodeLeniently(text.utf8) == Array(plain.utf8))
  }

  @Test(
    arguments: [
      ("Zm9v\nYmFy\r\n", "foobar"), (" \tZm9vYmFy", "foobar"), ("Zm-9v_Ym.Fy", "foobar"), ("!Zm9vYmFy", "foobar"),
      ("Zm9vYg", "foob"), ("Zm9vYmE", "fooba"), ("Zm9vY", "foo"), ("Z", ""), ("=", ""), ("", ""), ("!!!", ""),
      ("Zg==Zm9v", "f"), ("Zm8=Zm9v", "fo"), ("Zg=", "f"), ("Zm9v\u{FC}YmFy", "foobar"),
    ])
  func `decodes as Ruby's Base64.decode64`(text: String, plain: String) {
    #expect(Base64.decodeLeniently(text.utf8) == Array(plain.utf8))
  }

  @Test func `every byte survives`() {
    for length in 254...257 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 250) }
      #expect(Base64.decodeLeniently(Base64.encode(bytes).utf8) == bytes)
    }
    #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+")
  }
}
