import Cryptography
import Testing

@Suite struct PasswordHashTests {
  /// From crypt_blowfish's own tests, and bcrypt-ruby's README.
  @Test(
    arguments: [
      ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
      ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
      ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
      ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
      ("my password", "$2a$12$K0ByB.6YI2/OYrB4fQOYLe6Tv0datUVf6VZ/2Jzwm879BW5K1cHey"),
    ])
  func `hashes of others verify`(password: String, hash: String) {
    #expect(PasswordHash.problem(of: hash) == nil)
    #expect(PasswordHash.verify(Array(password.utf8), against: hash))
    #expect(!PasswordHash.verify(Array((password + " ").utf8), against: hash))
  }

  @Test func `the prefix $2y$ and bytes that are not UTF-8 are accepted`() {
    let hash = "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"
    #expect(PasswordHash.verify([0xFF, 0xFF, 0xA3], against: hash))
    #expect(!PasswordHash.verify([0xFF, 0xA3], against: hash))
  }

  @Test func `what was made verifies, with a salt of its own`() throws {
    let password = Array("пароль".utf8)
    let hash = try PasswordHash.make(password, cost: 4)
    #expect(hash.hasPrefix("$2b$04$"))
    #expect(hash.utf8.count == 60)
    #expect(PasswordHash.verify(password, against: hash))
    #expect(!PasswordHash.verify(Array("пароли".utf8), against: hash))
    #expect(try PasswordHash.make(password, cost: 4) != hash)
  }

  @Test func `72 bytes count to the last one, further ones are ignored, and no hash is made of them`() throws {
    let longest = [UInt8](repeating: UInt8(ascii: "x"), count: 72)
    let hash = try PasswordHash.make(longest, cost: 4)
    #expect(PasswordHash.verify(longest, against: hash))
    #expect(!PasswordHash.verify(longest.dropLast() + [UInt8(ascii: "y")], against: hash))
    #expect(PasswordHash.verify(longest + [UInt8(ascii: "y")], against: hash))
    #expect(!PasswordHash.verify(longest.dropLast() + Array("yx".utf8), against: hash))
    #expect(throws: CryptographyError.self) {
      try PasswordHash.make(longest + [UInt8(ascii: "x")], cost: 4)
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [17, 31])
  func `a hash that would take hours matches nothing, at once`(cost: Int) {
    let hash = "$2b$\(cost)$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    #expect(!PasswordHash.verify(Array("secret12".utf8), against: hash))
    #expect(PasswordHash.problem(of: hash) == "has the bcrypt cost \(cost), but the highest is 16")
  }

  @Test func `a password is compared beyond its NUL`() throws {
    let hash = try PasswordHash.make(Array("abc\0def".utf8), cost: 4)
    #expect(PasswordHash.verify(Array("abc\0def".utf8), against: hash))
    for other in ["abc", "abc\0", "abc\0deg", "abd\0def", "\0", ""] {
      #expect(!PasswordHash.verify(Array(other.utf8), against: hash))
    }
    let longest = [UInt8](repeating: 0, count: 72)
    #expect(PasswordHash.verify(longest, against: try PasswordHash.make(longest, cost: 4)))
    #expect(!PasswordHash.verify([0], against: try PasswordHash.make([], cost: 4)))
  }

  @Test(arguments: [Int.min, -1, 0, 3, 17, 31, 32, Int.max])
  func `costs outside 4...16 are refused`(cost: Int) {
    #expect(throws: CryptographyError.self) { try PasswordHash.make([], cost: cost) }
  }

  @Test(
    arguments: [
      "", "*0", "x", "$2a$", "$2a$05$", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.",
      "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
      "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
      "$2c$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2a$99$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2a$32$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2a$05$CCCCCCCCCCCCCCCCCCCCCCE5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO\0W",
      "$2a$05$:CCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      "$1$CCCCCCCC$E5YPO9kmyuRGyh0XouQYb4",
    ])
  func `what is no hash verifies nothing`(hash: String) {
    #expect(PasswordHash.problem(of: hash) != nil)
    #expect(!PasswordHash.verify(Array("U*U".utf8), against: hash))
  }

  @Test func `a hash that no password matches has the form of others of its cost`() {
    for cost in PasswordHash.costs { #expect(PasswordHash.problem(of: PasswordHash.unmatched(cost: cost)) == nil) }
    #expect(PasswordHash.unmatched(cost: 4).hasPrefix("$2b$04$"))
    #expect(PasswordHash.unmatched(cost: 12).hasPrefix("$2b$12$"))
    #expect(!PasswordHash.verify([], against: PasswordHash.unmatched(cost: 4)))
  }
}
