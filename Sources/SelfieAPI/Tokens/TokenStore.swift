import SQL
import SQLite

/// The table `tokens`.
package struct TokenStore: Sendable {
  let database: ApplicationDatabase
  var policy = RefreshPolicy(seconds: RefreshPolicy.defaultSeconds)

  /// Tokens a user may have at once: a phone, a tablet and a test suite that signs in all day. Of more,
  /// the oldest end.
  package static let maxPerUser: Int64 = 256

  /// How long an expired token is remembered, in milliseconds, so that its holder is told that it
  /// has expired rather than that it is unknown: 30 days. One that had expired when it was made, as tests
  /// make them, is remembered as long from then on.
  static let expiredRetention: Int64 = 30 * 86_400_000

  /// Tokens of one family among those. A client that refreshes without end ends its own tokens, and nobody else's.
  private static let maxPerFamily: Int64 = 32

  /// The token of this digest. It may have expired, but not so long ago that it is no longer remembered.
  ///
  /// - Throws: `AccountDisabled`.
  @inline(__always)
  func find(digest: [UInt8], now: Int64) async throws -> Token? {
    // In one statement, since every request asks this.
    let query = Query(
      "SELECT (SELECT disabled_at FROM users WHERE id = user_id), tokens.* FROM tokens WHERE digest = $1",
      .blob(digest))
    guard let found = try await database.first(query, as: Found.self),
      found.token.end > now - Self.expiredRetention
    else { return nil }
    guard !found.isDisabled else { throw AccountDisabled() }
    return found.token
  }

  private struct Found: RowRecord {
    let token: Token
    let isDisabled: Bool

    init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
      isDisabled = !row.isNull(first)
      token = Token(row, from: first + 1)
    }
  }

  package static func find(digest: [UInt8], on connection: Connection) throws -> Token? {
    try connection.first(token(digest: digest)) { Token($0) }
  }

  package static func token(digest: [UInt8]) -> Query {
    Query("SELECT * FROM tokens WHERE digest = $1", .blob(digest))
  }

  /// What tells why a write was refused whose token must still live.
  static func life(of token: Token) -> Query {
    Query(
      """
      SELECT disabled_at,
        (SELECT count(*) FROM tokens WHERE digest = $1 AND user_id = users.id)
          + (SELECT count(*) FROM retired_tokens
             WHERE digest = $1 AND user_id = users.id AND refreshed_at IS NOT NULL),
        password_hash
      FROM users WHERE id = $2
      """, .blob(token.digest), .integer(token.userID))
  }

  /// What tells that a write has stored a token.
  static func evidence(of new: Token) -> Query {
    Query("SELECT user_id FROM tokens WHERE digest = $1", .blob(new.digest))
  }

  /// Makes sure that a write was not refused because its token has been ended since its request was checked. The token
  /// may have expired or been refreshed meanwhile.
  ///
  /// - Parameter reason: why the write was refused. It begins as a row of `life(of:)`: when the token's user was
  ///   disabled, and how many tokens there are of this digest.
  /// - Throws: `TokenEnded`, `AccountDisabled`.
  @discardableResult
  static func requireLiving(in reason: Rows.Row?) throws -> Rows.Row {
    guard let reason, reason.integer(1) > 0 else { throw TokenEnded() }
    guard reason.isNull(0) else { throw AccountDisabled() }
    return reason
  }

  /// All tokens, by user and age.
  package static func all(on connection: Connection) throws -> [Token] {
    try connection.query("SELECT * FROM tokens ORDER BY user_id, created_at, digest") { Token($0) }
  }

  /// The tokens behind a digest, in order, 500 at most.
  package static func page(after digest: [UInt8]) -> Query {
    Query("SELECT * FROM tokens WHERE digest > $1 ORDER BY digest LIMIT 500", .blob(digest))
  }

  /// A user's live token whose digest begins with `prefix`, unless another one has replaced it.
  func find(digestPrefix prefix: [UInt8], userID: Int64, now: Int64) async throws -> Token? {
    try await database.first(
      Query(
        """
        SELECT * FROM tokens
        WHERE digest >= $1 AND digest < $2 AND user_id = $3 AND expires_at > $4 AND refreshed_at IS NULL
        """,
        .blob(prefix), .blob(prefix + [UInt8](repeating: 0xff, count: 32)), .integer(userID), .integer(now)))
  }

  // MARK: - New tokens

  /// Retires the tokens of a user that have expired at `time`, and the oldest if there are too many besides a new one,
  /// which is never among them, though the clock may have gone back. They are good for a refresh only from then on.
  /// Nothing is retired unless the new token was stored.
  static func retirement(besides new: Token, expiredAt time: Int64) -> [Query] {
    let values: [Value] = [.integer(new.userID), .blob(new.digest), .integer(time), .integer(maxPerUser - 1)]
    return [
      Query(
        """
        INSERT INTO retired_tokens (digest, user_id, expires_at, created_at, family, refreshed_at)
        SELECT digest, user_id, expires_at, created_at, family, refreshed_at FROM tokens
        WHERE user_id = $1 AND digest <> $2 AND length(family) > 0
          AND EXISTS (SELECT 1 FROM tokens AS new WHERE new.digest = $2)
          AND (expires_at <= $3
            OR (SELECT count(*) FROM tokens WHERE user_id = $1) > $4
              AND digest IN (
                SELECT digest FROM tokens WHERE user_id = $1 AND digest <> $2 AND expires_at > $3
                ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $4))
        ON CONFLICT (digest) DO UPDATE SET user_id = excluded.user_id, expires_at = excluded.expires_at,
          created_at = excluded.created_at, family = excluded.family, refreshed_at = excluded.refreshed_at
        """, values: values),
      Query(
        """
        DELETE FROM tokens
        WHERE user_id = $1 AND digest <> $2
          AND EXISTS (SELECT 1 FROM tokens AS new WHERE new.digest = $2)
          AND (expires_at <= $3
            OR (SELECT count(*) FROM tokens WHERE user_id = $1) > $4
              AND digest IN (
                SELECT digest FROM tokens WHERE user_id = $1 AND digest <> $2 AND expires_at > $3
                ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $4))
        """, values: values),
    ]
  }

  /// Retires the oldest tokens of a new one's family, if there are too many.
  static func retirement(ofFamilyOf new: Token) -> [Query] {
    let values: [Value] = [.integer(new.userID), .blob(new.digest), .blob(new.family), .integer(maxPerFamily - 1)]
    return [
      Query(
        """
        INSERT INTO retired_tokens (digest, user_id, expires_at, created_at, family, refreshed_at)
        SELECT digest, user_id, expires_at, created_at, family, refreshed_at FROM tokens
        WHERE user_id = $1 AND EXISTS (SELECT 1 FROM tokens AS new WHERE new.digest = $2)
          AND digest IN (
            SELECT digest FROM tokens WHERE user_id = $1 AND digest <> $2 AND family = $3
            ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $4)
        ON CONFLICT (digest) DO UPDATE SET user_id = excluded.user_id, expires_at = excluded.expires_at,
          created_at = excluded.created_at, family = excluded.family, refreshed_at = excluded.refreshed_at
        """, values: values),
      Query(
        """
        DELETE FROM tokens
        WHERE user_id = $1 AND EXISTS (SELECT 1 FROM tokens AS new WHERE new.digest = $2)
          AND digest IN (
            SELECT digest FROM tokens WHERE user_id = $1 AND digest <> $2 AND family = $3
            ORDER BY created_at DESC, digest DESC LIMIT 1000000000 OFFSET $4)
        """, values: values),
    ]
  }

  // MARK: - Ends

  /// Ends a token and its family.
  package func remove(_ token: Token) async throws {
    try await database.run(
      Write(
        lock: .user(token.userID), makesRoom: true,
        [Query("DELETE FROM tokens WHERE digest = $1", .blob(token.digest))] + Self.removal(ofFamilyOf: token)))
  }

  static func removal(ofFamilyOf token: Token) -> [Query] {
    guard !token.family.isEmpty else { return [] }
    return [
      Query("DELETE FROM tokens WHERE user_id = $1 AND family = $2", .integer(token.userID), .blob(token.family)),
      RetiredTokenStore.removal(ofFamilyOf: token),
    ]
  }

  /// Forgets the tokens that expired long before `now`, a thousand of each table at most, so that no other write waits
  /// long.
  ///
  /// - Returns: how many they were.
  func prune(now: Int64) async throws -> Int64 {
    let time = now - max(Self.expiredRetention, policy.lifetime)
    let timeOfRetired = now - policy.lifetime
    let written = try await database.run(
      Write(
        lock: nil, makesRoom: true,
        [
          Query(
            """
            DELETE FROM tokens WHERE digest IN
              (SELECT digest FROM tokens WHERE expires_at <= $1 AND created_at <= $1 LIMIT 1000)
            """, .integer(time)),
          RetiredTokenStore.removal(expiredBefore: timeOfRetired),
        ],
        sharedThen: [
          Self.sharedRemoval(expiredBefore: time), RetiredTokenStore.sharedRemoval(expiredBefore: timeOfRetired),
        ]))
    return written.others.reduce(0) { $0 + $1.changes }
  }

  package static func insert(_ token: Token, on connection: Connection) throws {
    try connection.run(insertion(of: token))
  }

  package static func insertion(of token: Token) -> Query {
    Query(
      """
      INSERT INTO tokens (digest, user_id, expires_at, created_at, family, refreshed_at) VALUES ($1, $2, $3, $4, $5, $6)
      """,
      .blob(token.digest), .integer(token.userID), .integer(token.expiresAt), .integer(token.createdAt),
      .blob(token.family), .integer(orNull: token.refreshedAt))
  }

  /// - Returns: how many there were besides the retired ones.
  @discardableResult
  package static func removeAll(of userID: Int64, on connection: Connection) throws -> Int64 {
    try RetiredTokenStore.removeAll(of: userID, on: connection)
    try connection.run("DELETE FROM tokens WHERE user_id = $1", .integer(userID))
    return connection.changes
  }

  /// - Returns: how many there were besides the retired ones.
  package static func removeAll(on connection: Connection) throws -> Int64 {
    try RetiredTokenStore.removeAll(on: connection)
    try connection.run("DELETE FROM tokens")
    return connection.changes
  }

  /// Lets the live tokens of a user, or of everybody, expire at `now`.
  ///
  /// - Returns: how many they were.
  package static func expireAll(of userID: Int64?, now: Int64, on connection: Connection) throws -> Int64 {
    if let userID {
      try connection.run(
        "UPDATE tokens SET expires_at = $1 WHERE user_id = $2 AND expires_at > $1", .integer(now), .integer(userID))
    } else {
      try connection.run("UPDATE tokens SET expires_at = $1 WHERE expires_at > $1", .integer(now))
    }
    return connection.changes
  }
}

/// The token of a request has been ended while the request was under way.
struct TokenEnded: Error {}

/// The owner has disabled the account that a request is about.
struct AccountDisabled: Error {}
