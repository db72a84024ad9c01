import Cryptography
import HTTPMessages
import Platform
import Testing

@testable import SelfieAPI

/// What an app is told of a password that it has encrypted in another way.
@Suite struct EncryptionMistakesTests {
  private static let password = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"
  private static let cipher = AESCrypt(password: Array(password.utf8))
  private static let iv = (0..<16).map { UInt8(200 + $0) }

  /// Encrypted as it is, in CBC mode with an IV of zero bytes.
  private static func blocks(_ plain: [UInt8]) -> [UInt8] {
    Base64.decodeLeniently(cipher.encrypt(plain).utf8).dropLast(16)
  }

  /// With the padding of PKCS #7, for a text of less than a block.
  private static func padded(_ text: String) -> [UInt8] {
    text.utf8 + [UInt8](repeating: UInt8(16 - text.utf8.count), count: 16 - text.utf8.count)
  }

  private static func finding(about encrypted: [UInt8], password: String = password) throws -> String? {
    try finding(about: Base64.encode(encrypted), password: password)
  }

  private static func finding(about text: String, password: String = password) throws -> String? {
    APIPassword(password, name: "name").flaw(of: try PasswordText(.string(text)))
  }

  private static let expected =
    "; expected AES-256-CBC (key: SHA-256 of the API password, IV: 16 zero bytes, padding: PKCS #7)"

  @Test(
    arguments: [
      (blocks("secret12".utf8 + [UInt8](repeating: 0, count: 8)), "was padded with zero bytes"),
      (blocks(Array("sixteen letters!".utf8)), "was encrypted without padding"),
      (blocks(Array("sixteen letters!".utf8)) + blocks(padded("and 10")), "was encrypted in ECB mode"),
      (
        Array(cipher.encrypt(Array("secret12".utf8)).utf8.flatMap { Hex.encode([$0]) }.prefix(48)),
        "is the Base64 of hexadecimal digits, not of the encrypted bytes"
      ),
    ] as [([UInt8], String)])
  func `another form is told from no encryption`(encrypted: [UInt8], finding: String) throws {
    #expect(try Self.finding(about: encrypted) == "the password \(finding)\(Self.expected)")
  }

  @Test(arguments: ["secret12", "é12345"])
  func `an IV after the password is found`(text: String) throws {
    let first = Self.blocks(zip(Self.padded(text), Self.iv).map { $0 ^ $1 })
    #expect(try Self.finding(about: first + Self.iv) == "the IV stands after the encrypted password\(Self.expected)")
  }

  @Test(arguments: [
    (Array(password.utf8.prefix(32)), "the API password itself as the key"),
    (
      Array(Digest.hex(Digest.sha256(Array(password.utf8))).utf8.prefix(32)),
      "the hexadecimal digits of that SHA-256 as the key"
    ),
  ])
  func `another key is named`(key: [UInt8], name: String) throws {
    let text = AESCrypt(key: key).encrypt(Array("secret12".utf8))
    #expect(try Self.finding(about: text) == "the password was encrypted with \(name)\(Self.expected)")
  }

  @Test func `a key that was decoded from hexadecimal is named, and one that was padded`() throws {
    let digits = String(decoding: Hex.encode((0..<32).map { UInt8($0) }), as: UTF8.self)
    let decoded = AESCrypt(key: (0..<32).map { UInt8($0) }).encrypt(Array("secret12".utf8))
    #expect(
      try Self.finding(about: decoded, password: digits)
        == "the password was encrypted with the API password, decoded from hexadecimal, as the key\(Self.expected)")
    let short = AESCrypt(key: Array("short".utf8) + [UInt8](repeating: 0, count: 27)).encrypt(Array("secret12".utf8))
    #expect(
      try Self.finding(about: short, password: "short")
        == "the password was encrypted with the API password itself as the key\(Self.expected)")
  }

  @Test func `an IV before the password, and a second encryption, are found`() throws {
    let text = Self.blocks(Self.iv + Self.padded("secret12"))
    #expect(try Self.finding(about: text) == "the IV stands before the encrypted password\(Self.expected)")
    let twice = Self.cipher.encrypt(Array(Self.cipher.encrypt(Array("secret12".utf8)).utf8))
    #expect(try Self.finding(about: twice) == "the password was encrypted twice\(Self.expected)")
    #expect(try Self.finding(about: Self.cipher.encrypt(Array("a password of some length".utf8))) == nil)
  }

  @Test func `nothing is said of what decrypts, of random bytes, and of a long text`() throws {
    #expect(try Self.finding(about: Self.cipher.encrypt(Array("a".utf8))) == nil)
    #expect(try Self.finding(about: [UInt8](repeating: 7, count: 48)) == nil)
    #expect(try Self.finding(about: Self.blocks([UInt8](repeating: 0x61, count: 512))) == nil)
  }

  @Test(arguments: [
    (
      "data:;base64,YareGHgQouCl2QNmTjUsyQ==",
      #"begins with "data:", as the address of data does; send only the Base64 "#
    ),
    ("$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "is a hash of bcrypt; "),
    ("5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8", "is hexadecimal, as a hash is printed; "),
    (
      Base64.encode([UInt8](repeating: 1, count: 36)),
      "is not encrypted, or was changed on its way: its Base64 stands for 36 bytes, which is not a multiple of 16; "
    ),
  ])
  func `a text is told by its form`(text: String, finding: String) throws {
    #expect(try Self.finding(about: text)?.hasPrefix("the password \(finding)") == true)
  }
}
