import SQL
import SQLite

/// The table `retired_tokens`: tokens that no other endpoint than refresh_token takes.
package enum RetiredTokenStore {
  /// Of one family. A client that refreshes without end makes the server forget its own tokens, and nobody else's.
  static let maxPerFamily: Int64 = 32
  /// Of one user, counted when a device signs in.
  static let maxPerUser: Int64 = 1024

  package static func find(digest: [UInt8], on connection: Connection) throws -> Token? {
    try connection.first("SELECT * FROM retired_tokens WHERE digest = $1", .blob(digest)) { Token($0) }
  }

  /// All of them, by user and age.
  package static func all(on connection: Connection) throws -> [Token] {
    try connection.query("SELECT * FROM retired_tokens ORDER BY user_id, created_at, digest") { Token($0) }
  }

  /// Those behind a digest, in order, 500 at most.
  package static func page(after digest: [UInt8]) -> Query {
    Query("SELECT * FROM retired_tokens WHERE digest > $1 ORDER BY digest LIMIT 500", .blob(digest))
  }

  package static func insert(_ token: Token, on connection: Connection) throws {
    try connection.run(insertion(of: token))
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

  // MARK: - Ends

  /// Forgets the oldest of a new token's family that are too many, but never its first token, which stands for all that
  /// are forgotten. It is remembered for as long as `new` can be refreshed, and comes back if it was removed before.
  static func trim(familyOf new: Token) -> [Query] {
    [
      Query(
        """
        DELETE FROM retired_tokens WHERE digest IN (
          SELECT digest FROM retired_tokens WHERE user_id = $1 AND family = $2 AND digest <> $2
          ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $3)
        """, .integer(new.userID), .blob(new.family), .integer(maxPerFamily - 1)),
      Query(
        """
        INSERT INTO retired_tokens (digest, user_id, expires_at, created_at, family, refreshed_at)
        SELECT family, user_id, expires_at, created_at, family, 0 FROM tokens
        WHERE digest = $1 AND NOT EXISTS (SELECT 1 FROM tokens WHERE digest = $2)
        ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at, created_at = excluded.created_at
        """, .blob(new.digest), .blob(new.family)),
    ]
  }

  /// Forgets the oldest of a user that are too many.
  static func trim(allOf userID: Int64) -> Query {
    Query(
      """
      DELETE FROM retired_tokens WHERE digest IN (
        SELECT digest FROM retired_tokens WHERE user_id = $1
        ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $2)
      """, .integer(userID), .integer(maxPerUser))
  }

  static func removal(ofFamilyOf token: Token) -> Query {
    Query(
      "DELETE FROM retired_tokens WHERE user_id = $1 AND family = $2", .integer(token.userID), .blob(token.family))
  }

  static func removeAll(of userID: Int64, on connection: Connection) throws {
    try connection.run("DELETE FROM retired_tokens WHERE user_id = $1", .integer(userID))
  }

  package static func removeAll(on connection: Connection) throws {
    try connection.run("DELETE FROM retired_tokens")
  }

  /// Forgets those that expired before `time`, a thousand at most.
  static func removal(expiredBefore time: Int64) -> Query {
    Query(
      """
      DELETE FROM retired_tokens WHERE digest IN
        (SELECT digest FROM retired_tokens WHERE expires_at <= $1 AND created_at <= $1 LIMIT 1000)
      """, .integer(time))
  }
}
