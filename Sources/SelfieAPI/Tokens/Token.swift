import Cryptography

/// A token: anyone who holds its letters may act for the user until it expires. A row of the table `tokens`.
public struct Token: Sendable, Equatable {
  /// SHA-256 of the letters, which are not kept.
  public var digest: [UInt8]
  public var userID: Int64
  /// Unix milliseconds.
  public var expiresAt: Int64
  public var createdAt: Int64

  public init(digest: [UInt8], userID: Int64, expiresAt: Int64, createdAt: Int64) {
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
