import Cryptography
import HTTPMessages
package import SelfieAPI

/// A valid token, as the owner's page and commands show one. `UserView` has its user.
package struct TokenView: Codable, Equatable, Sendable {
  /// The beginning of the digest, by which the owner names a token. No token can be made from it.
  package let id: String
  /// Of its user; nil if the row of that is missing.
  package let email: String?
  package let createdAt: String
  package let expiry: String

  package init(_ owned: Owned<Token>) {
    id = Digest.hex(Array(owned.record.digest.prefix(8)))
    email = owned.email
    createdAt = Timestamp.text(unixMilliseconds: owned.record.createdAt)
    expiry = Timestamp.text(unixMilliseconds: owned.record.expiresAt)
  }

  private enum CodingKeys: String, CodingKey {
    case id, email
    case createdAt = "created_at"
    case expiry = "authtoken_expiry"
  }
}

/// How many tokens of a user have ended.
package struct EndedTokensView: Codable, Sendable {
  package let email: String
  package let tokens: Int64
}
