import Platform
package import SQL

/// The queries of the table `users`. `Accounts` has the rules of accounts.
package struct UserStore: Sendable {
  let database: ApplicationDatabase

  /// The user of this address, which is case-sensitive. No address has a NUL, with which a shared database could not be
  /// asked.
  package func find(email: String?) async throws -> User? {
    guard let email, !email.hasNUL else { return nil }
    return try await database.first(Self.user(email: email))
  }

  package static func user(email: String) -> Query {
    Query("SELECT * FROM users WHERE email = $1", .text(email))
  }

  /// An address that differs from this one in its case only, or in white space around it.
  package static func emails(like email: String) -> Query {
    Query("SELECT email FROM users WHERE lower(email) = lower(trim($1)) LIMIT 1", .text(email))
  }

  /// The addresses that are as long as another one, but for two letters; the newest accounts first.
  package static func emails(asLongAs email: String, max: Int64) -> Query {
    let count = Int64(email.unicodeScalars.count)
    return Query(
      "SELECT email FROM users WHERE length(email) BETWEEN $1 AND $2 ORDER BY id DESC LIMIT $3",
      .integer(count - 2), .integer(count + 2), .integer(max))
  }

  package func find(id: Int64) async throws -> User? {
    try await database.first(Self.user(id: id))
  }

  package static func user(id: Int64) -> Query {
    Query("SELECT * FROM users WHERE id = $1", .integer(id))
  }

  /// The next users after an id.
  package static func page(after id: Int64 = .min, max: Int64 = 500) -> Query {
    Query("SELECT * FROM users WHERE id > $1 ORDER BY id LIMIT $2", .integer(id), .integer(max))
  }

  package static let count = Query("SELECT count(*) FROM users")

  /// How many rows each table has that belongs to users; of tokens, those that are not retired.
  package static let rowCounts = Query(
    """
    SELECT (SELECT count(*) FROM users) AS users, (SELECT sum(1 - state) FROM tokens) AS tokens,
      (SELECT count(*) FROM photos) AS photos, (SELECT count(*) FROM notes) AS notes,
      (SELECT count(*) FROM microblog_users) AS microblog_users, (SELECT count(*) FROM blogposts) AS blogposts
    """)

  package static let countDisabled = Query("SELECT count(disabled_at) FROM users")

  /// Makes an account, and returns it with its id.
  ///
  /// - Throws: `Refusal.accountExists`.
  func insert(_ user: User) async throws -> User {
    try await database.write(about: .nobody) { tx in
      // Without this check, SQLite would use up an id for a user whom it does not insert.
      guard try !tx.exists(Self.user(email: user.email)) else { throw Refusal.accountExists }
      var user = user
      user.id = try tx.insert(user)
      return user
    }
  }

  // MARK: - For the owner

  /// The user of this address, which is case-sensitive, as `UserSummary`.
  package static func summary(of email: String, now: Int64) -> Query {
    summaries(from: email, through: email, matching: "%", max: 1, now)
  }

  /// The users by their email addresses, as `UserSummary`.
  ///
  /// - Parameter search: a part of the address or of the name, in any case; all users if empty.
  package static func summaries(matching search: String, max: Int64, now: Int64) -> Query {
    summaries(from: "", through: afterAll, matching: pattern(search), max: max, now)
  }

  /// A text that comes after every address.
  private static let afterAll = String(repeating: "\u{10FFFF}", count: Validation.maxCharacters + 1)

  private static func summaries(
    from first: String, through last: String, matching pattern: String, max: Int64, _ now: Int64
  ) -> Query {
    Query(
      """
      SELECT users.*,
        (SELECT photo_count FROM photo_bytes WHERE user_id = users.id) AS photo_count,
        (SELECT byte_count FROM photo_bytes WHERE user_id = users.id) AS photo_bytes,
        (SELECT note_count FROM note_bytes WHERE user_id = users.id) AS note_count,
        (SELECT count(*) FROM tokens WHERE user_id = users.id AND state = 0 AND expires_at > $1) AS token_count
      FROM users
      WHERE email BETWEEN $2 AND $3
        AND lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '')) LIKE $4 ESCAPE '!'
      ORDER BY email LIMIT $5
      """, .integer(now), .text(first), .text(last), .text(pattern), .integer(max))
  }

  /// The number of users who have `search` in their address or name.
  package static func count(matching search: String) -> Query {
    Query(
      """
      SELECT count(*) FROM users
      WHERE lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, '')) LIKE $1 ESCAPE '!'
      """, .text(pattern(search)))
  }

  /// Lowercase as `lower()` is in SQLite, and in PostgreSQL with the collation of an address: ASCII letters only. Of a
  /// parameter, PostgreSQL's would fold other letters, too, by the locale of its server.
  private static func pattern(_ search: String) -> String {
    // Byte by byte: characters of many combining marks take long to find.
    let escaped = search.utf8.map(\.asciiLowercased).flatMap {
      "!%_".utf8.contains($0) ? [UInt8(ascii: "!"), $0] : [$0]
    }
    return "%\(String(decoding: escaped, as: UTF8.self))%"
  }

  /// Addresses that differ in case only, as `SimilarEmails`: the first of them.
  package static let similarEmails = Query(
    """
    SELECT min(email) AS first_email, max(email) AS last_email, count(*) AS row_count FROM users
    GROUP BY lower(email) HAVING count(*) > 1 ORDER BY lower(email) LIMIT $1
    """, .integer(SimilarEmails.max))

  /// Disables a user, or enables one again.
  ///
  /// - Parameter time: nil: enables. A user who is disabled already stays so since then.
  /// - Returns: nil if there is no user of this address.
  package func setDisabled(at time: Int64?, of email: String) async throws -> User? {
    try await change(email) { tx, user in
      user.disabledAt = time.map { user.disabledAt ?? $0 }
      try tx.update(user)
    }?.user
  }

  /// Deletes a user with all that is the user's. The files of the photos are among the removed ones from then on.
  ///
  /// - Returns: what was deleted; nil if there is no user of this address.
  package func remove(email: String, now: Int64) async throws -> UserSummary? {
    try await change(email, makesRoom: true) { tx, user in
      let summary = try tx.first(Self.summary(of: email, now: now), as: UserSummary.self)
      try tx.run(Query("DELETE FROM users WHERE id = $1", .integer(user.id)))
      return summary
    }?.result
  }

  /// A user as a change has left it, and the result of the change.
  struct Change<Result: Sendable>: Sendable {
    let user: User
    let result: Result
  }

  /// - Returns: nil if there is no user of this address.
  func change<Result: Sendable>(
    _ email: String, makesRoom: Bool = false,
    _ body: @escaping @Sendable (any Transaction, inout User) throws -> Result
  ) async throws -> Change<Result>? {
    guard let id = try await find(email: email)?.id else { return nil }
    return try await database.write(about: .user(id), makesRoom: makesRoom) { tx in
      guard var user = try tx.first(Self.user(email: email), as: User.self), user.id == id else { return nil }
      let result = try body(tx, &user)
      return Change(user: user, result: result)
    }
  }
}

extension User: NumberedRecord {
  package var insertion: Query {
    Query(
      """
      INSERT INTO users (id, first_name, last_name, email, password_hash, created_at, updated_at, disabled_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (email) DO NOTHING RETURNING id
      """, idOrNext, .text(orNull: firstName), .text(orNull: lastName), .text(email), .text(passwordHash),
      .integer(createdAt), .integer(updatedAt), .integer(orNull: disabledAt))
  }
}

extension Transaction {
  /// Updates what can change of a user.
  package func update(_ user: User) throws {
    try run(
      Query(
        "UPDATE users SET password_hash = $1, disabled_at = $2, updated_at = $3 WHERE id = $4",
        .text(user.passwordHash), .integer(orNull: user.disabledAt), .integer(user.updatedAt), .integer(user.id)))
  }

  /// Requires that a user still has the password that the client has sent.
  ///
  /// - Throws: `Refusal.passwordReplaced`, also if the user was deleted; `Refusal.accountDisabled`.
  func requirePassword(of user: User) throws {
    guard let now = try first(UserStore.user(id: user.id), as: User.self), now.passwordHash == user.passwordHash else {
      throw Refusal.passwordReplaced
    }
    guard now.disabledAt == nil else { throw Refusal.accountDisabled }
  }

  /// Removes all users with all that is theirs.
  package func removeAllUsers() throws { try run(Query("DELETE FROM users")) }
}
