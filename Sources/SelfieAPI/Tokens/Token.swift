import Cryptography

/// A token as the server keeps it: who holds the letters may act for the user until it expires.
struct Token: Sendable, Equatable {
  /// SHA-256 of the letters.
  let digest: [UInt8]
  let userID: Int64
  /// Unix milliseconds.
  let expiresAt: Int64
  let createdAt: Int64

  /// Letters of a token: 24 of 52 have 136 random bits.
  static let length = 24

  static func digest(of letters: [UInt8]) -> [UInt8] {
    Digest.sha256(letters)
  }
}

/// A token that was just made: its letters are known this once.
struct IssuedToken: Sendable {
  let letters: String
  let token: Token
}
