import Testing

@testable import HTTPServer

@Suite struct CharacterClassTests {
  private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

  private func bytes(where belongs: (UInt8) -> Bool) -> Set<UInt8> {
    Set((UInt8.min...UInt8.max).filter(belongs))
  }

  @Test func `tokens have the characters of RFC 9110 §5.6.2`() {
    #expect(bytes(where: CharacterClass.isToken) == Set((Self.letters + "!#$%&'*+-.^_`|~").utf8))
  }

  @Test func `a request target has the characters of RFC 3986 but for the fragment's`() {
    let refused = Set(0...0x20 as ClosedRange<UInt8>).union(0x7f...0xff).union("#\"<>\\^`{|}".utf8)
    #expect(bytes(where: CharacterClass.isTarget) == Set(UInt8.min...UInt8.max).subtracting(refused))
  }

  @Test func `a field value has no controls but tab`() {
    let refused = Set(0...0x1f as ClosedRange<UInt8>).union([0x7f]).subtracting([0x09])
    #expect(bytes(where: CharacterClass.isFieldValue) == Set(UInt8.min...UInt8.max).subtracting(refused))
  }
}
