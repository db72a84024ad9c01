import SQLite

/// The table `tokens`.
package struct TokenStore: Sendable {
  let database: Database

  /// Tokens a user may have at once: a phone, a tablet and a test suite that signs in all day. Of more,
  /// the oldest end.
  package static let maxPerUser: Int64 = 256

  /// How long an expired token is remembered, in milliseconds, so that its holder is told that it
  /// has expired rather than that it is unknown: 30 days. One that had expired when it was made, as tests
  /// make them, is remembered as long from then on.
  static let expiredRetention: Int64 = 30 * 86_400_000

  /// The token of this digest. It may have expired, but not so long ago that it is no longer remembered.
  func find(digest: [UInt8], now: Int64) throws -> Token? {
    guard let token = try database.read({ try Self.find(digest: digest, on: $0) }),
      max(token.expiresAt, token.createdAt) > now - Self.expiredRetention
    else { return nil }
    return token
  }

  package static func find(digest: [UInt8], on connection: Connection) throws -> Token? {
    try connection.first("SELECT * FROM tokens WHERE digest = ?", .blob(digest), row: token)
  }

  /// Makes sure that a token has not been ended since its request was checked. It may have expired meanwhile.
  ///
  /// - Throws: `TokenEnded`.
  static func requireLiving(_ token: Token, on connection: Connection) throws {
    // After a reset, another user may have the id.
    guard try find(digest: token.digest, on: connection)?.userID == token.userID else { throw TokenEnded() }
  }

  /// All tokens, by user and age.
  package static func all(on connection: Connection) throws -> [Token] {
    try connection.query("SELECT * FROM tokens ORDER BY user_id, created_at, digest", row: token)
  }

  /// A user's live token whose digest begins with `prefix`.
  func find(digestPrefix prefix: [UInt8], userID: Int64, now: Int64) throws -> Token? {
    try database.read { connection in
      try connection.first(
        "SELECT * FROM tokens WHERE digest >= ? AND digest < ? AND user_id = ? AND expires_at > ?",
        .blob(prefix), .blob(prefix + [UInt8](repeating: 0xff, count: 32)), .integer(userID), .integer(now),
        row: Self.token)
    }
  }

  /// Inserts a new token, and ends those of its user that have expired or are too many.
  static func insertEndingOthers(_ token: Token, on connection: Connection) throws {
    try connection.run(
      "DELETE FROM tokens WHERE user_id = ? AND expires_at <= ?", .integer(token.userID), .integer(token.createdAt))
    try insert(token, on: connection)
    try connection.run(
      """
      DELETE FROM tokens WHERE digest IN
        (SELECT digest FROM tokens WHERE user_id = ? AND digest <> ? ORDER BY created_at DESC LIMIT -1 OFFSET ?)
      """,
      // The new one is never among the oldest, though the clock may have gone back.
      .integer(token.userID), .blob(token.digest), .integer(maxPerUser - 1))
  }

  /// Ends a token; false when it has ended already.
  func remove(digest: [UInt8]) async throws -> Bool {
    try await database.write(makesRoom: true) { connection in
      try connection.run("DELETE FROM tokens WHERE digest = ?", .blob(digest))
      return connection.changes == 1
    }
  }

  /// Forgets the tokens that expired long before `now`, a thousand at most, so that no other write waits long.
  ///
  /// - Returns: how many they were.
  func prune(now: Int64) async throws -> Int64 {
    try await database.write(makesRoom: true) { connection in
      try connection.run(
        """
        DELETE FROM tokens WHERE digest IN
          (SELECT digest FROM tokens WHERE expires_at <= ?1 AND created_at <= ?1 LIMIT 1000)
        """,
        .integer(now - Self.expiredRetention))
      return connection.changes
    }
  }

  package static func insert(_ token: Token, on connection: Connection) throws {
    try connection.run(
      "INSERT INTO tokens (digest, user_id, expires_at, created_at) VALUES (?, ?, ?, ?)",
      .blob(token.digest), .integer(token.userID), .integer(token.expiresAt), .integer(token.createdAt))
  }

  package static func removeAll(of userID: Int64, on connection: Connection) throws {
    try connection.run("DELETE FROM tokens WHERE user_id = ?", .integer(userID))
  }

  /// - Returns: how many there were.
  package static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM tokens")
    return connection.changes
  }

  /// Lets the live tokens of a user, or of everybody, expire at `now`.
  ///
  /// - Returns: how many they were.
  package static func expireAll(of userID: Int64?, now: Int64, on connection: Connection) throws -> Int64 {
    if let userID {
      try connection.run(
        "UPDATE tokens SET expires_at = ? WHERE user_id = ? AND expires_at > ?", .integer(now), .integer(userID),
        .integer(now))
    } else {
      try connection.run("UPDATE tokens SET expires_at = ? WHERE expires_at > ?", .integer(now), .integer(now))
    }
    return connection.changes
  }

  /// Reads a whole row: the columns are in the order in which migrations have added them.
  private static func token(_ row: borrowing Row) -> Token {
    Token(digest: row.blob(0), userID: row.integer(1), expiresAt: row.integer(2), createdAt: row.integer(3))
  }
}

/// The token of a request has been ended while the request was under way.
struct TokenEnded: Error {}
