import Cryptography
import Platform
import SelfieAPI
package import SelfieTestDocuments

/// The mistakes in a seed, and what its records are compared with. SeedRules.swift has the rules of each record.
struct SeedProblems {
  /// The parts of the multipart body.
  let parts: Seed.Parts
  let maxPhotoBytes: Int
  /// The time of the check, in unix milliseconds.
  let now: Int64
  var found = Problems()
  /// The values of the records before, by their kinds. Texts that Swift takes for equal may differ.
  private var seen: [String: Set<ExactText>] = [:]

  init(parts: Seed.Parts, maxPhotoBytes: Int, now: Int64) {
    (self.parts, self.maxPhotoBytes, self.now) = (parts, maxPhotoBytes, now)
  }
}

extension Seed {
  /// The parts of a multipart body by their names.
  package typealias Parts = [String: Part]

  /// A part of a multipart body.
  package struct Part: Sendable {
    let filename: String?
    let bytes: [UInt8]
  }
}

// The rules that several records share.
extension SeedProblems {
  /// - Parameters:
  ///   - problem: the end of a sentence, without a full stop; nil if nothing is wrong.
  ///   - place: its beginning, such as `users[0].email`.
  mutating func add(_ problem: String?, at place: String) {
    if let problem { found.add("\(place) \(problem).") }
  }

  /// Requires a value that no record before has.
  ///
  /// - Parameter kind: of the values that are compared, such as `email`.
  mutating func checkUnique(_ value: String?, _ kind: String, at place: String) {
    guard let value, !seen[kind, default: []].insert(ExactText(value)).inserted else { return }
    found.add("\(place): another record has \(value), too.")
  }

  mutating func checkCount(_ count: Int, _ max: Int64, _ noun: String, at place: String) {
    if count > max { found.add("\(place).\(noun): a user has at most \(max) \(noun), not \(count).") }
  }

  mutating func checkHash(_ hash: String?, besides password: String?, at place: String) {
    guard let hash else { return }
    add(PasswordHash.problem(of: hash), at: "\(place).password_hash")
    if password != nil { add("and password_hash exclude each other", at: "\(place).password") }
  }

  mutating func checkDigest(_ digest: String?, at place: String) {
    guard let digest, Hex.decode(digest.utf8)?.count != SHA256.byteCount else { return }
    add("is not a SHA-256, which has \(2 * SHA256.byteCount) hexadecimal digits", at: place)
  }

  /// Checks a token or a cookie, which may be given as a digest.
  mutating func checkSecret(
    _ secret: String?, _ name: String, _ digest: String?, at place: String
  ) {
    checkDigest(digest, at: "\(place).digest")
    if secret != nil && digest != nil { add("and digest exclude each other", at: "\(place).\(name)") }
    guard let made = secret.map({ Digest.hex(Digest.sha256(Array($0.utf8))) }) ?? digest?.lowercased(),
      !seen[name, default: []].insert(ExactText(made)).inserted
    else { return }
    found.add("\(place): another record has the same \(name).")
  }
}
