import Platform
import SQL

/// What the owner asks and writes. Addresses name users there.
extension UserStore {
  /// The user of this address, compared to the letter, and how much is stored of the user's, as `UserSummary`.
  package static func summary(of email: String, now: Int64) -> Query {
    Query(
      """
      SELECT (SELECT count(*) FROM photos WHERE user_id = users.id),
        (SELECT CAST(sum(byte_count) AS bigint) FROM photos WHERE user_id = users.id),
        (SELECT count(*) FROM notes WHERE user_id = users.id),
        (SELECT count(*) FROM tokens WHERE user_id = users.id AND is_retired = 0 AND expires_at > $1),
        users.*
      FROM users WHERE email = $2
      """, .integer(now), .text(email))
  }

  /// The users by their email addresses, as `UserSummary`.
  ///
  /// - Parameters:
  ///   - search: a part of the address or of the name, in any case; all users if empty.
  ///   - email: the address after which to begin.
  package static func summaries(matching search: String, after email: String, max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT (SELECT count(*) FROM photos WHERE user_id = users.id),
        (SELECT CAST(sum(byte_count) AS bigint) FROM photos WHERE user_id = users.id),
        (SELECT count(*) FROM notes WHERE user_id = users.id),
        (SELECT count(*) FROM tokens WHERE user_id = users.id AND is_retired = 0 AND expires_at > $1),
        users.*
      FROM users
      WHERE email > $2
        AND lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '')) LIKE lower($3) ESCAPE '!'
      ORDER BY email LIMIT $4
      """, .integer(now), .text(email), .text(pattern(search)), .integer(max))
  }

  /// How many users have `search` in their address or name.
  package static func count(matching search: String) -> Query {
    Query(
      """
      SELECT count(*) FROM users
      WHERE email > ''
        AND lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '')) LIKE lower($1) ESCAPE '!'
      """, .text(pattern(search)))
  }

  private static func pattern(_ search: String) -> String {
    "%" + search.replacing(/[!%_]/) { "!\($0.output)" } + "%"
  }

  /// Addresses that differ in case only, as `SimilarEmails`: the first of them.
  package static let similarEmails = Query(
    "SELECT min(email), max(email), count(*) FROM users GROUP BY lower(email) HAVING count(*) > 1 ORDER BY lower(email) LIMIT 20"
  )

  /// Replaces a user's password, whatever it was, and ends all tokens.
  ///
  /// - Returns: the user, and how many tokens have ended; nil if there is no user of this address.
  package func replacePassword(
    of email: String, by passwordHash: String, now: Int64
  ) async throws -> (user: User, tokens: Int64)? {
    try await endTokens(
      of: email, now: now,
      after: Query(
        "UPDATE users SET password_hash = $1, updated_at = $2 WHERE email = $3 RETURNING *", .text(passwordHash),
        .integer(now), .text(email)), makesRoom: false)
  }

  /// Ends all tokens of a user.
  ///
  /// - Returns: the user, and how many tokens have ended; nil if there is no user of this address.
  package func endTokens(of email: String, now: Int64) async throws -> (user: User, tokens: Int64)? {
    try await endTokens(of: email, now: now, after: Self.user(email: email), makesRoom: true)
  }

  /// - Parameter query: has the user's row.
  private func endTokens(
    of email: String, now: Int64, after query: Query, makesRoom: Bool
  ) async throws -> (user: User, tokens: Int64)? {
    guard !email.hasNUL else { return nil }
    return try await database.write(about: .userWithEmail(email), makesRoom: makesRoom) { tx in
      guard let user = try tx.first(query, as: User.self) else { return nil }
      let count = try tx.number(TokenStore.countLive(of: user.id, now: now))
      try tx.removeTokens(of: user.id)
      return (user, count)
    }
  }

  /// Disables a user, or enables one again.
  ///
  /// - Parameter time: nil: enables. A user who is disabled already stays so since then.
  /// - Returns: nil if there is no user of this address.
  package func setDisabled(at time: Int64?, of email: String) async throws -> User? {
    guard !email.hasNUL else { return nil }
    let change =
      if let time {
        Query(
          "UPDATE users SET disabled_at = COALESCE(disabled_at, $1) WHERE email = $2 RETURNING *", .integer(time),
          .text(email))
      } else {
        Query("UPDATE users SET disabled_at = NULL WHERE email = $1 RETURNING *", .text(email))
      }
    return try await database.write(about: .userWithEmail(email)) { try $0.first(change) }
  }

  /// Deletes a user with all that is the user's. The files of the photos are among the removed ones from then on.
  ///
  /// - Returns: what was deleted; nil if there is no user of this address.
  package func remove(email: String, now: Int64) async throws -> UserSummary? {
    guard !email.hasNUL else { return nil }
    return try await database.write(about: .userWithEmail(email), makesRoom: true) { tx in
      guard let summary = try tx.first(Self.summary(of: email, now: now), as: UserSummary.self) else { return nil }
      try tx.run(Query("DELETE FROM users WHERE email = $1", .text(email)))
      return summary
    }
  }
}
