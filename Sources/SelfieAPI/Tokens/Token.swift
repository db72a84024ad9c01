import Cryptography

/// A token as the server keeps it: who holds the letters may act for the user until it expires.
package struct Token: Sendable, Equatable {
  /// SHA-256 of the letters.
  let digest: [UInt8]
  let userID: Int64
  /// Unix milliseconds.
  let expiresAt: Int64
  let createdAt: Int64

  package init(digest: [UInt8], userID: Int64, expiresAt: Int64, createdAt: Int64) {
    self.digest = digest
    self.userID = userID
    self.expiresAt = expiresAt
    self.createdAt = createdAt
  }

  /// Letters of a token: 24 of 52 have 136 random bits.
  package static let length = 24

  package static func digest(of letters: [UInt8]) -> [UInt8] {
    Digest.sha256(letters)
  }
}

/// A token that was just made: its letters are known this once.
struct IssuedToken: Sendable {
  let letters: String
  let token: Token
}
