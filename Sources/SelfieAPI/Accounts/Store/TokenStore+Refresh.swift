import SQL
import SQLite

extension TokenStore {
  /// What became of a refresh.
  enum Refresh {
    case refreshed(User)
    /// The token was refreshed too long ago. Its whole family has ended.
    case reused
    case denied
  }

  /// A token that is to be refreshed; nil unless `refresh` may have work with it.
  func refreshable(digest: [UInt8], now: Int64) async throws -> Token? {
    try await refreshableWithUser(digest: digest, now: now)?.token
  }

  /// The same, with the user whose token it is.
  ///
  /// - Parameter family: that the token names. If the token is forgotten, the first one of its family is returned instead,
  ///   as one that was refreshed long ago.
  func refreshableWithUser(
    digest: [UInt8], family: [UInt8]? = nil, now: Int64
  ) async throws -> (token: Token, user: User)? {
    var found = try await database.first(Self.withUser(digest), as: TokenOfUser.self)
    if found == nil, let family {
      found = try await database.first(Self.withUser(family), as: TokenOfUser.self)
      guard found?.token.refreshedAt != nil else { return nil }
      found?.token.refreshedAt = 0
    }
    guard let found, policy.verdict(on: found.token, now: now) != .denied else { return nil }
    return (found.token, found.user)
  }

  private struct TokenOfUser: RowRecord {
    var token: Token
    let user: User

    init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
      token = Token(row, from: first)
      user = User(row, from: first + 6)
    }
  }

  /// A token of this digest, live, expired or refreshed, and its user. A digest is in one of the tables only.
  private static func withUser(_ digest: [UInt8]) -> Query {
    Query(
      """
      SELECT old.digest, old.user_id, old.expires_at, old.created_at, old.family, old.refreshed_at, users.*
      FROM (
        SELECT digest, user_id, expires_at, created_at, family, refreshed_at FROM tokens WHERE digest = $1
        UNION ALL
        SELECT digest, user_id, expires_at, created_at, family, refreshed_at FROM retired_tokens WHERE digest = $1
      ) AS old JOIN users ON users.id = old.user_id
      """, .blob(digest))
  }

  /// Stores a new token in place of an old one, in whose family it is from then on.
  ///
  /// - Parameter old: as `refreshableWithUser` has found it, with its user.
  /// - Throws: `AccountDisabled`.
  func refresh(_ old: (token: Token, user: User), by new: Token) async throws -> Refresh {
    var old = old
    // The statements check what the verdict relies on. If that has changed, a second verdict is right: only the first
    // refresh of a token changes it to another one that can be refreshed.
    for _ in 1...2 {
      guard old.user.disabledAt == nil else { throw AccountDisabled() }
      let verdict = policy.verdict(on: old.token, now: new.createdAt)
      let written: Written
      switch verdict {
      case .allowed: written = try await database.run(replacement(of: old.token, by: new))
      case .reused: written = try await database.run(Self.removal(ofFamilyOfReused: old.token))
      case .denied: return .denied
      }
      guard !written.isDone else { return verdict == .allowed ? .refreshed(old.user) : .reused }
      // It has been ended. After a reset, another user may have the id.
      guard let now = written.reason, now.integer(1) == new.userID else { return .denied }
      old = (Token(now), User(now, from: 6))
    }
    return .denied
  }

  /// Stores a new token, and lets the old one expire within a minute. Expired tokens stay, because uploads may still be
  /// under way with them.
  func replacement(of old: Token, by new: Token) -> Write {
    let now = new.createdAt
    var new = new
    new.family = old.family
    return Write(
      lock: .user(old.userID),
      decisive: Query(
        """
        INSERT INTO tokens (digest, user_id, expires_at, created_at, family)
        SELECT $1, id, $2, $3, $4 FROM users
        WHERE id = $5 AND disabled_at IS NULL
          AND (EXISTS (
              SELECT 1 FROM tokens WHERE digest = $6 AND user_id = users.id AND family = $4
                AND (refreshed_at > $7 OR refreshed_at IS NULL AND (expires_at >= $8 OR created_at >= $8)))
            OR EXISTS (
              SELECT 1 FROM retired_tokens WHERE digest = $6 AND user_id = users.id AND family = $4
                AND (refreshed_at > $7 OR refreshed_at IS NULL AND (expires_at >= $8 OR created_at >= $8))))
        RETURNING user_id
        """,
        .blob(new.digest), .integer(new.expiresAt), .integer(now), .blob(new.family), .integer(new.userID),
        .blob(old.digest), .integer(RefreshPolicy.earliestRefresh(now: now)), .integer(policy.earliestEnd(now: now))),
      then: Self.firstRefresh(of: old, by: new) + Self.retirement(ofFamilyOf: new)
        + Self.retirement(besides: new, expiredAt: .min) + RetiredTokenStore.trim(familyOf: new),
      reason: Self.withUser(old.digest),
      evidence: Self.evidence(of: new))
  }

  /// Notes the first refresh of a token. Nothing if there was one before.
  private static func firstRefresh(of old: Token, by new: Token) -> [Query] {
    guard old.refreshedAt == nil else { return [] }
    let values: [Value] = [
      .integer(new.createdAt), .integer(RefreshPolicy.lastExpiry(refreshedAt: new.createdAt)), .blob(old.digest),
      .blob(new.digest),
    ]
    return [
      Query(
        """
        UPDATE tokens SET refreshed_at = $1, expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END
        WHERE digest = $3 AND refreshed_at IS NULL AND EXISTS (SELECT 1 FROM tokens AS new WHERE new.digest = $4)
        """, values: values),
      Query(
        """
        UPDATE retired_tokens SET refreshed_at = $1, expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END
        WHERE digest = $3 AND refreshed_at IS NULL AND EXISTS (SELECT 1 FROM tokens AS new WHERE new.digest = $4)
        """, values: values),
    ]
  }

  /// Ends the family of a token that was refreshed too long ago.
  static func removal(ofFamilyOfReused token: Token) -> Write {
    let family: [Value] = [.integer(token.userID), .blob(token.family)]
    return Write(
      lock: .user(token.userID),
      decisive: Query(
        """
        SELECT id FROM users
        WHERE id = $1 AND disabled_at IS NULL
          AND (EXISTS (SELECT 1 FROM tokens WHERE digest = $2 AND user_id = users.id AND family = $3)
            OR EXISTS (SELECT 1 FROM retired_tokens WHERE digest = $2 AND user_id = users.id AND family = $3))
        """, .integer(token.userID), .blob(token.digest), .blob(token.family)),
      then: [
        Query(
          """
          DELETE FROM tokens
          WHERE user_id = $1 AND family = $2 AND EXISTS (SELECT 1 FROM users WHERE id = $1 AND disabled_at IS NULL)
          """, values: family),
        Query(
          """
          DELETE FROM retired_tokens
          WHERE user_id = $1 AND family = $2 AND EXISTS (SELECT 1 FROM users WHERE id = $1 AND disabled_at IS NULL)
          """, values: family),
      ],
      reason: withUser(token.digest))
  }

  /// Ends the right to refresh a token, and ends the others of its family.
  func forbidRefresh(of token: Token) async throws {
    let end = Query("UPDATE tokens SET family = $1 WHERE digest = $2", .blob([]), .blob(token.digest))
    try await database.run(
      Write(lock: .user(token.userID), makesRoom: true, [end] + Self.removal(ofFamilyOf: token)))
  }

  /// A token of this digest, live, expired or refreshed.
  package static func findAny(digest: [UInt8], on connection: Connection) throws -> Token? {
    try find(digest: digest, on: connection) ?? RetiredTokenStore.find(digest: digest, on: connection)
  }
}
