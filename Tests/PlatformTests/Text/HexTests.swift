import Platform
import Testing

@Suite struct HexTests {
  @Test func `bytes become two lower-case digits each, and are read back`() {
    let bytes = Array(UInt8.min...UInt8.max)
    let digits = Hex.encode(bytes)
    #expect(String(decoding: digits.prefix(34), as: UTF8.self) == "000102030405060708090a0b0c0d0e0f10")
    #expect(Hex.decode(digits) == bytes)
    #expect(Hex.decode("0aFf".utf8) == [0x0a, 0xff])
  }

  @Test(arguments: ["a", "0g", " 0", "0:", "@0", "0`", "0G", "/0"])
  func `anything else is refused`(text: String) {
    #expect(Hex.decode(text.utf8) == nil)
  }

  @Test func `128 bits have 32 digits`() {
    let digits = Hex.encode(0x0123_4567_89ab_cdef, 10)
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789abcdef000000000000000a")
  }

  @Test func `the tests of ASCII agree with the standard library's, for every byte`() {
    for byte in UInt8.min...UInt8.max {
      let character = Character(Unicode.Scalar(byte))
      let isASCII = byte < 0x80
      #expect(byte.isASCIIDigit == (isASCII && character.isNumber))
      #expect(byte.isASCIILetter == (isASCII && character.isLetter))
      #expect(byte.asciiLowercased == (isASCII ? character.lowercased().utf8.first : byte))
      #expect(Hex.value(of: byte).map(Int.init) == (isASCII ? character.hexDigitValue : nil))
    }
  }
}
