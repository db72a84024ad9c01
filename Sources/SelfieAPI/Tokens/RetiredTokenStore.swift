import SQL
import SQLite

/// The table `retired_tokens`: tokens that no other endpoint than refresh_token takes.
package enum RetiredTokenStore {
  /// Of one family. A client that refreshes without end makes the server forget its own tokens, and nobody else's.
  static let maxPerFamily: Int64 = 32
  /// Of one user, counted when a device signs in.
  static let maxPerUser: Int64 = 1024

  /// All of them, by user and age.
  package static func all(on connection: Connection) throws -> [Token] {
    try connection.query("SELECT * FROM retired_tokens ORDER BY user_id, created_at, digest") { Token($0) }
  }

  /// Those behind a digest, in order, 500 at most.
  package static func page(after digest: [UInt8]) -> Query {
    Query("SELECT * FROM retired_tokens WHERE digest > $1 ORDER BY digest LIMIT 500", .blob(digest))
  }

  /// Forgets those that expired before `time`, a thousand at most.
  static func removal(expiredBefore time: Int64) -> Query {
    Query(
      """
      DELETE FROM retired_tokens WHERE digest IN
        (SELECT digest FROM retired_tokens WHERE expires_at <= $1 AND created_at <= $1 LIMIT 1000)
      """, .integer(time))
  }

  package static func insertion(of token: Token) -> Query {
    Query(
      """
      INSERT INTO retired_tokens (digest, user_id, expires_at, created_at, family, refreshed_at)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (digest) DO UPDATE SET user_id = excluded.user_id, expires_at = excluded.expires_at,
        created_at = excluded.created_at, family = excluded.family, refreshed_at = excluded.refreshed_at
      """,
      .blob(token.digest), .integer(token.userID), .integer(token.expiresAt), .integer(token.createdAt),
      .blob(token.family), .integer(orNull: token.refreshedAt))
  }
}

extension Transaction {
  package func insertRetired(_ token: Token) throws { try run(RetiredTokenStore.insertion(of: token)) }

  /// Forgets the oldest tokens of the family of `new` that are too many, but never its first token, which stands for all
  /// that are forgotten. It is remembered for as long as `new` can be refreshed, and comes back if it was removed before.
  func trimRetiredTokens(ofFamilyOf new: Token) throws {
    try run(
      Query(
        """
        DELETE FROM retired_tokens WHERE digest IN (
          SELECT digest FROM retired_tokens WHERE user_id = $1 AND family = $2 AND digest <> $2
          ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $3)
        """, .integer(new.userID), .blob(new.family), .integer(RetiredTokenStore.maxPerFamily - 1)))
    guard try !exists(TokenStore.token(digest: new.family)) else { return }
    try run(
      Query(
        """
        INSERT INTO retired_tokens (digest, user_id, expires_at, created_at, family, refreshed_at)
        VALUES ($1, $2, $3, $4, $1, 0)
        ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at, created_at = excluded.created_at
        """, .blob(new.family), .integer(new.userID), .integer(new.expiresAt), .integer(new.createdAt)))
  }

  /// Forgets the oldest of a user that are too many.
  func trimRetiredTokens(of userID: Int64) throws {
    try run(
      Query(
        """
        DELETE FROM retired_tokens WHERE digest IN (
          SELECT digest FROM retired_tokens WHERE user_id = $1
          ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $2)
        """, .integer(userID), .integer(RetiredTokenStore.maxPerUser)))
  }
}
