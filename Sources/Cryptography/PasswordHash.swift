import CCrypt
import COpenSSL
import Platform

/// Password hashes by bcrypt, in the format of bcrypt-ruby. `Passwords` in SelfieAPI calls these functions on threads
/// of its own.
///
/// bcrypt stops at a NUL. Therefore ``make(_:cost:)`` and ``verify(_:against:)`` replace a password that contains one
/// by the byte FF, `sha256:` and the base64 of its SHA-256. No text in UTF-8 has the byte FF, so the replacement is
/// never another password.
package enum PasswordHash {
  /// bcrypt ignores further bytes.
  package static let maxBytes = 72
  /// The costs of bcrypt that are used. Each doubles the time, from a few milliseconds to four seconds of a core.
  /// bcrypt itself goes on to 31, which takes a day and a half.
  package static let costs = 4...16

  /// Makes a hash of 60 characters that begins with `$2b$`, with a random salt. Takes a quarter of a second at cost 12,
  /// on the calling thread. Throws if the cost is not in ``costs`` or the password has more than ``maxBytes``.
  package static func make(_ password: [UInt8], cost: Int) throws(CryptographyError) -> String {
    guard costs.contains(cost) else {
      throw CryptographyError("a bcrypt cost is from \(costs.lowerBound) to \(costs.upperBound), not \(cost)")
    }
    guard password.count <= maxBytes else {
      throw CryptographyError("a password has at most \(maxBytes) bytes, not \(password.count)")
    }
    guard let setting = makeSetting(cost: cost), let hash = hash(password, setting: setting) else {
      throw CryptographyError("crypt(3) refuses bcrypt with cost \(cost)")
    }
    return String(decoding: hash, as: UTF8.self)
  }

  /// Whether `hash` (`$2a$`, `$2b$` or `$2y$`) was made from `password`. Of a longer one, the first ``maxBytes`` count, as
  /// they did when bcrypt-ruby made the hash: whoever has an imported password still sends all of it. False, at once, if
  /// ``problem(of:)`` has something to say of `hash`. Takes as long as making the hash took.
  package static func verify(_ password: [UInt8], against hash: String) -> Bool {
    let expected = Array(hash.utf8)
    // The original had no passwords with a NUL.
    let password = password.contains(0) ? password : Array(password.prefix(maxBytes))
    guard password.count <= maxBytes, problem(of: hash) == nil else { return false }
    guard let actual = self.hash(password, setting: expected), actual.count == expected.count else { return false }
    return CRYPTO_memcmp(actual, expected, expected.count) == 0
  }

  /// The form of a hash, with a salt and a hash of zeroes: no password matches it.
  package static func unmatched(cost: Int) -> String {
    "$2b$\(cost < 10 ? "0" : "")\(cost)$\(String(repeating: ".", count: 53))"
  }

  /// Why ``verify(_:against:)`` cannot check a hash, as in "its password_hash is not a bcrypt hash"; nil if it can.
  package static func problem(of hash: String) -> String? {
    guard let cost = cost(of: hash), cost >= costs.lowerBound else { return "is not a bcrypt hash" }
    return costProblem(of: hash)
  }

  /// Why checking a password against a bcrypt hash would take too long; nil if it would not, or for another text.
  package static func costProblem(of hash: String) -> String? {
    guard let cost = cost(of: hash), cost > costs.upperBound else { return nil }
    return "has the bcrypt cost \(cost), but the highest is \(costs.upperBound)"
  }

  /// The cost that a bcrypt hash states: `$2a$`, `$2b$` or `$2y$`, the cost, a salt and a hash. Nil for another text.
  private static func cost(of text: String) -> Int? {
    let hash = Array(text.utf8)
    guard hash.count == hashLength, prefixes.contains(Array(hash[..<4])), hash[6] == UInt8(ascii: "$"),
      hash[4..<6].allSatisfy(\.isASCIIDigit),
      hash[7...].allSatisfy({ $0.isASCIIAlphanumeric || "./".utf8.contains($0) }),
      // The last character of the salt has its last two bits, and four zero bits.
      ".Oeu".utf8.contains(hash[28])
    else { return nil }
    return Int(hash[4] - 0x30) * 10 + Int(hash[5] - 0x30)
  }

  private static let saltBytes = 16
  private static let hashLength = 60
  /// Followed by `$`, two digits of cost, `$`, 22 characters of salt and 31 of hash.
  private static let prefixes = ["$2a$", "$2b$", "$2y$"].map { Array($0.utf8) }

  /// `$2b$`, the cost and a salt.
  private static func makeSetting(cost: Int) -> [UInt8]? {
    let salt = RandomSource.system.bytes(saltBytes).map { CChar(bitPattern: $0) }
    var setting = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
    guard
      crypt_gensalt_rn("$2b$", UInt(cost), salt, Int32(salt.count), &setting, Int32(setting.count)) != nil
    else { return nil }
    return setting.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }

  /// Hashes the password by crypt(3) with a setting or an earlier hash; nil if crypt refuses.
  private static func hash(_ password: [UInt8], setting: [UInt8]) -> [UInt8]? {
    let phrase = phrase(password)
    // crypt_data has 32 KB, which is much for the stack of a thread, and holds secrets afterwards.
    let workspace = UnsafeMutableRawBufferPointer.allocate(
      byteCount: MemoryLayout<crypt_data>.size, alignment: MemoryLayout<crypt_data>.alignment)
    workspace.initializeMemory(as: UInt8.self, repeating: 0)
    defer {
      OPENSSL_cleanse(workspace.baseAddress, workspace.count)
      workspace.deallocate()
    }
    let terminated = setting.map { CChar(bitPattern: $0) } + [0]
    return phrase.withUnsafeBytes {
      guard
        let hash = crypt_rn(
          $0.bindMemory(to: CChar.self).baseAddress, terminated, workspace.baseAddress, Int32(workspace.count))
      else { return nil }
      return Array(String(cString: hash).utf8)
    }
  }

  /// The password as crypt(3) takes it: without a NUL but the one at its end.
  private static func phrase(_ password: [UInt8]) -> SecretBytes {
    var phrase: [UInt8] = []
    phrase.reserveCapacity(maxBytes + 1)
    if password.contains(0) {
      phrase.append(0xFF)
      phrase.append(contentsOf: "sha256:".utf8)
      phrase.append(contentsOf: Base64.encode(Digest.sha256(password)).utf8)
    } else {
      phrase.append(contentsOf: password)
    }
    phrase.append(0)
    defer { phrase.cleanse() }
    return SecretBytes(phrase)
  }
}
