import SQL

/// What the owner asks of tokens.
extension TokenStore {
  /// How many tokens of a user are live.
  package static func countLive(of userID: Int64, now: Int64) -> Query {
    Query(
      "SELECT count(*) FROM tokens WHERE user_id = $1 AND is_retired = 0 AND expires_at > $2", .integer(userID),
      .integer(now))
  }

  /// How many tokens are live.
  package static func countLive(now: Int64) -> Query {
    Query("SELECT count(*) FROM tokens WHERE is_retired = 0 AND expires_at > $1", .integer(now))
  }

  /// A user's newest live tokens, the newest first, as `OwnedToken`.
  package static func newest(of userID: Int64, max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT email, tokens.* FROM tokens LEFT JOIN users ON users.id = user_id
      WHERE user_id = $1 AND is_retired = 0 AND expires_at > $2 ORDER BY tokens.created_at DESC LIMIT $3
      """, .integer(userID), .integer(now), .integer(max))
  }

  /// Live tokens, by user and age, as `OwnedToken`.
  package static func live(max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT email, tokens.* FROM tokens LEFT JOIN users ON users.id = user_id
      WHERE user_id > 0 AND is_retired < 1 AND expires_at > $1 ORDER BY user_id, is_retired, tokens.created_at LIMIT $2
      """, .integer(now), .integer(max))
  }

  /// The tokens, but for retired ones, whose digests begin with `prefix`, two at most, as `OwnedToken`.
  package static func find(digestPrefix prefix: [UInt8]) -> Query {
    Query(
      """
      SELECT email, tokens.* FROM tokens LEFT JOIN users ON users.id = user_id
      WHERE digest >= $1 AND digest < $2 AND is_retired = 0 LIMIT 2
      """, .blob(prefix), .blob(prefix + [UInt8](repeating: 0xff, count: 32)))
  }
}

/// A token with its user's email address.
package struct OwnedToken: Sendable, RowRecord {
  package let token: Token
  package let email: String?

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    email = row.text(first)
    token = Token(row, from: first + 1)
  }
}
