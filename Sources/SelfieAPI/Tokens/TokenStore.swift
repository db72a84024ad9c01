package import SQL

/// The queries of the table `tokens`. `RefreshPolicy` has the rules of refreshing. Only refresh_token takes those that
/// are retired.
package struct TokenStore: Sendable {
  let database: ApplicationDatabase
  var policy = RefreshPolicy(seconds: RefreshPolicy.defaultSeconds)

  /// Live tokens a user may have at once: a phone, a tablet and a program that signs in all day. Of more, the oldest are
  /// retired, and so are the oldest of as many expired ones.
  package static let maxPerUser: Int64 = 256

  /// How long an expired token is remembered, in milliseconds, so that its holder learns that it
  /// has expired rather than that it is unknown: 30 days.
  static let expiredRetention: Int64 = 30 * 86_400_000

  /// Tokens of one family among those, and as many retired ones. A client that refreshes without end ends its own
  /// tokens, and no others.
  static let maxPerFamily: Int64 = 32

  /// Retired tokens of one user, counted when a device signs in.
  static let maxRetiredPerUser: Int64 = 1024

  /// The token of this digest. It may have expired, but not so long ago that it is no longer remembered.
  ///
  /// - Throws: `Refusal.accountDisabled`.
  @inline(__always)
  func find(digest: [UInt8], now: Int64) async throws -> Token? {
    try await database.first(Self.token(digest: digest), as: Found.self)?.token(now: now)
  }

  /// A token, and whether its user is disabled.
  struct Found: RowRecord {
    let token: Token
    let isDisabled: Bool

    init(_ row: borrowing some RowReader & ~Copyable) {
      token = Token(row)
      isDisabled = !row.isNull("disabled_at")
    }

    /// Nil if the token is known to refresh_token only, or not remembered any more.
    @inline(__always)
    func token(now: Int64) throws -> Token? {
      guard token.state == .live, token.end > now - expiredRetention else { return nil }
      guard !isDisabled else { throw Refusal.accountDisabled }
      return token
    }
  }

  /// A token, and when its user was disabled: in one statement, since every request asks this.
  @inline(__always)
  package static func token(digest: [UInt8]) -> Query {
    Query(
      """
      SELECT tokens.*, (SELECT disabled_at FROM users WHERE id = user_id) AS disabled_at FROM tokens WHERE digest = $1
      """, .blob(digest))
  }

  /// The next tokens after a digest.
  package static func page(after digest: [UInt8] = [], max: Int64 = 500) -> Query {
    Query("SELECT * FROM tokens WHERE digest > $1 ORDER BY digest LIMIT $2", .blob(digest), .integer(max))
  }

  /// A user's live token whose digest begins with `prefix`, unless another one has replaced it.
  func find(digestPrefix prefix: [UInt8], userID: Int64, now: Int64) async throws -> Token? {
    guard let token = try await database.first(Self.find(digestPrefix: prefix), as: Owned<Token>.self)?.record,
      token.userID == userID, token.isLive(at: now), token.refreshedAt == nil
    else { return nil }
    return token
  }

  /// Stores a new token of a user.
  ///
  /// - Parameters:
  ///   - user: as read when the token was asked for.
  ///   - checkedPassword: whether the client had to send the user's password.
  /// - Returns: false if the user has been deleted, or has another password than the one that was checked: a new
  ///   password ends all tokens, and so must end one that was asked for with the old password.
  /// - Throws: `Refusal.accountDisabled`.
  func issue(_ token: Token, to user: User, checkedPassword: Bool) async throws -> Bool {
    try await database.write(about: .user(user.id)) { tx in
      guard let now = try tx.first(UserStore.user(id: user.id), as: User.self), now.email == user.email,
        !checkedPassword || now.passwordHash == user.passwordHash
      else { return false }
      guard now.disabledAt == nil else { throw Refusal.accountDisabled }
      try tx.run([token.insertion] + token.trimmingAfterSignIn)
      return true
    }
  }

  /// Replaces a user's password, if it is still the one that was checked, and ends all tokens but a new one.
  ///
  /// - Parameter token: of the request.
  /// - Returns: false if the password has been changed.
  /// - Throws: `Refusal.tokenEnded` if only the token has been ended, `Refusal.accountDisabled`.
  func replacePassword(
    of user: User, by passwordHash: String, as token: Token, newToken: Token
  ) async throws -> Bool {
    try await database.write(about: .user(user.id)) { tx in
      guard var now = try tx.first(UserStore.user(id: user.id), as: User.self), now.passwordHash == user.passwordHash
      else { return false }
      try tx.requireLive(token)
      now.passwordHash = passwordHash
      now.updatedAt = newToken.createdAt
      try tx.update(now)
      try tx.removeTokens(of: user.id)
      try tx.insert(newToken)
      return true
    }
  }

  /// The result of a refresh.
  enum Refresh: Equatable {
    case refreshed(User)
    /// The token was refreshed too long ago. Two clients have it, and one of them may have stolen it, so its whole family
    /// ends.
    case reused
    case denied
  }

  /// A token that can be refreshed or was refreshed before, also a retired one; nil for all others.
  ///
  /// - Parameter family: that the token names. If the token is forgotten, the first one of its family is returned instead,
  ///   as one that was refreshed long ago.
  func refreshable(digest: [UInt8], family: [UInt8]? = nil, now: Int64) async throws -> Token? {
    var found = try await database.first(Self.token(digest: digest), as: Token.self)
    if found == nil, let family {
      found = try await database.first(Self.token(digest: family), as: Token.self)
      guard found?.refreshedAt != nil else { return nil }
      found?.refreshedAt = 0
    }
    guard let found, policy.refusal(of: found, now: now) != .denied else { return nil }
    return found
  }

  /// Stores a new token in place of an old one, which expires within a minute.
  ///
  /// - Throws: `Refusal.accountDisabled`.
  func refresh(_ old: Token, by new: Token) async throws -> Refresh {
    try await database.write(about: .user(old.userID)) { [policy] tx in
      // After a reset, another user may have the id.
      guard var current = try tx.first(Self.token(digest: old.digest), as: Token.self), current.userID == new.userID,
        let user = try tx.first(UserStore.user(id: new.userID), as: User.self)
      else { return .denied }
      guard user.disabledAt == nil else { throw Refusal.accountDisabled }
      // One that stands for a forgotten token.
      if old.refreshedAt == 0 { current.refreshedAt = 0 }
      if let refusal = policy.refusal(of: current, now: new.createdAt) {
        if refusal == .reused { try tx.removeFamily(of: current) }
        return refusal
      }
      var new = new
      new.family = current.family
      if current.refreshedAt == nil {
        current.refreshedAt = new.createdAt
        // Requests that the client has already sent are answered until then.
        current.expiresAt = min(current.expiresAt, new.createdAt &+ RefreshPolicy.window)
        try tx.update(current)
      }
      try tx.run([new.insertion] + new.trimmingAfterRefresh)
      return .refreshed(user)
    }
  }

  /// Ends the right to refresh a token, and ends the others of its family.
  func forbidRefresh(of token: Token) async throws {
    try await database.write(about: .user(token.userID), makesRoom: true) { tx in
      if var current = try tx.first(Self.token(digest: token.digest), as: Token.self), current.userID == token.userID {
        current.family = []
        // A sign-in may just have retired it. Nothing asks for it then.
        if current.state == .retired { try tx.delete(current) } else { try tx.update(current) }
      }
      try tx.removeFamily(of: token)
    }
  }

  /// Ends a token and its family.
  package func remove(_ token: Token) async throws {
    try await database.write(about: .user(token.userID), makesRoom: true) { tx in
      try tx.delete(token)
      try tx.removeFamily(of: token)
    }
  }

  /// Deletes the tokens that expired long before `now` and before the newest time in the database, a thousand at most, so
  /// that no other write waits long.
  ///
  /// - Returns: how many they were.
  func prune(now: Int64) async throws -> Int64 {
    let age = max(Self.expiredRetention, policy.lifetime)
    return try await database.write(about: .all, makesRoom: true) { tx in
      try tx.run(
        Query(
          """
          DELETE FROM tokens WHERE digest IN (
            SELECT digest FROM tokens WHERE expires_at <= $1 AND created_at <= $1 LIMIT 1000)
          """, .integer(tx.earlier(of: now) &- age)))
    }
  }

  // MARK: - For the owner

  /// The number of a user's live tokens.
  package static func countLive(of userID: Int64, now: Int64) -> Query {
    Query(
      "SELECT count(*) FROM tokens WHERE user_id = $1 AND state = 0 AND expires_at > $2", .integer(userID),
      .integer(now))
  }

  /// The number of live tokens.
  package static func countLive(now: Int64) -> Query {
    Query("SELECT count(*) FROM tokens WHERE state = 0 AND expires_at > $1", .integer(now))
  }

  /// A user's newest live tokens, the newest first, as `Owned<Token>`.
  package static func newest(of userID: Int64, max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT email, tokens.* FROM tokens LEFT JOIN users ON users.id = user_id
      WHERE user_id = $1 AND state = 0 AND expires_at > $2 ORDER BY tokens.created_at DESC LIMIT $3
      """, .integer(userID), .integer(now), .integer(max))
  }

  /// Live tokens, by user and age, as `Owned<Token>`.
  package static func live(max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT email, tokens.* FROM tokens LEFT JOIN users ON users.id = user_id
      WHERE state = 0 AND expires_at > $1 ORDER BY user_id, tokens.created_at LIMIT $2
      """, .integer(now), .integer(max))
  }

  /// The tokens, but for retired ones, whose digests begin with `prefix`, two at most, as `Owned<Token>`.
  package static func find(digestPrefix prefix: [UInt8]) -> Query {
    Query(
      """
      SELECT email, tokens.* FROM tokens LEFT JOIN users ON users.id = user_id
      WHERE digest >= $1 AND digest < $2 AND state = 0 LIMIT 2
      """, .blob(prefix), .blob(prefix + [UInt8](repeating: 0xff, count: 32)))
  }
}

extension UserStore {
  /// Replaces a user's password, whatever it was, and ends all tokens.
  ///
  /// - Returns: nil if there is no user of this address.
  package func replacePassword(
    of email: String, by passwordHash: String, now: Int64
  ) async throws -> EndedTokens? {
    try await change(email) { tx, user in
      user.passwordHash = passwordHash
      user.updatedAt = now
      try tx.update(user)
      return try tx.removeTokens(of: user.id, liveAt: now)
    }.map { EndedTokens(user: $0.user, count: $0.result) }
  }

  /// Ends all tokens of a user.
  ///
  /// - Returns: nil if there is no user of this address.
  package func endTokens(of email: String, now: Int64) async throws -> EndedTokens? {
    try await change(email, makesRoom: true) { tx, user in
      try tx.removeTokens(of: user.id, liveAt: now)
    }.map { EndedTokens(user: $0.user, count: $0.result) }
  }
}

/// A user whose tokens have ended.
package struct EndedTokens: Sendable {
  package let user: User
  /// How many of them were live.
  package let count: Int64
}

extension Token {
  package var insertion: Query {
    Query(
      """
      INSERT INTO tokens (digest, user_id, expires_at, created_at, family, refreshed_at, state)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """, .blob(digest), .integer(userID), .integer(expiresAt), .integer(createdAt), .blob(family),
      .integer(orNull: refreshedAt), .integer(state.rawValue))
  }
}

// The statements that follow the insertion of a token. To remove the oldest of too many, each looks up the newest of these
// in the index, and takes all tokens up to it. Numbering a thousand tokens by row_number() takes much longer.
extension Token {
  /// Retires the user's tokens that have expired, and the oldest of too many. Never retires this one, even if the clock was
  /// set back.
  fileprivate var trimmingAfterSignIn: [Query] {
    [
      Query(
        "UPDATE tokens SET state = 1 WHERE user_id = $1 AND state = 0 AND digest <> $2 AND expires_at <= $3",
        .integer(userID), .blob(digest), .integer(createdAt))
    ] + retirementOfOldestLive + [
      Query(
        """
        DELETE FROM tokens WHERE user_id = $1 AND state = 1 AND (created_at, digest) <= (
          SELECT created_at, digest FROM tokens WHERE user_id = $1 AND state = 1
          ORDER BY created_at DESC, digest DESC LIMIT 1 OFFSET $2)
        """, .integer(userID), .integer(TokenStore.maxRetiredPerUser))
    ]
  }

  /// Retires the oldest of too many tokens of the family and of the user. Expired ones stay, unless they are too many: the
  /// device of each is to learn that its token has expired.
  fileprivate var trimmingAfterRefresh: [Query] {
    [
      Query(
        """
        UPDATE tokens SET state = 1
        WHERE user_id = $1 AND state = 0 AND family = $2 AND digest <> $3 AND (created_at, digest) <= (
          SELECT created_at, digest FROM tokens WHERE user_id = $1 AND state = 0 AND family = $2 AND digest <> $3
          ORDER BY created_at DESC, digest DESC LIMIT 1 OFFSET $4)
        """, .integer(userID), .blob(family), .blob(digest), .integer(TokenStore.maxPerFamily - 1))
    ] + retirementOfOldestLive + [
      retirementOfOldest(expiring: Int64.min...createdAt),
      Query(
        """
        DELETE FROM tokens
        WHERE user_id = $1 AND state = 1 AND family = $2 AND digest <> $2 AND (created_at, digest) <= (
          SELECT created_at, digest FROM tokens WHERE user_id = $1 AND state = 1 AND family = $2 AND digest <> $2
          ORDER BY created_at DESC, digest DESC LIMIT 1 OFFSET $3)
        """, .integer(userID), .blob(family), .integer(TokenStore.maxPerFamily - 1)),
      // The first token of the family stands for all that were deleted. It is kept for as long as this one can be
      // refreshed, and comes back if it was deleted before.
      Query(
        """
        INSERT INTO tokens (digest, user_id, expires_at, created_at, family, refreshed_at, state)
        VALUES ($1, $2, $3, $4, $1, 0, 1)
        ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at, created_at = excluded.created_at
          WHERE tokens.state = 1
        """, .blob(family), .integer(userID), .integer(expiresAt), .integer(createdAt)),
    ]
  }

  /// Retires the oldest of too many tokens of the user that have not expired, and deletes those of the retired ones that
  /// cannot be refreshed: nothing asks for them any more.
  private var retirementOfOldestLive: [Query] {
    [
      retirementOfOldest(expiring: createdAt &+ 1...Int64.max),
      Query("DELETE FROM tokens WHERE user_id = $1 AND state = 1 AND length(family) = 0", .integer(userID)),
    ]
  }

  /// Retires the oldest of too many tokens of the user that expire at these times.
  private func retirementOfOldest(expiring times: ClosedRange<Int64>) -> Query {
    Query(
      """
      UPDATE tokens SET state = 1
      WHERE user_id = $1 AND state = 0 AND digest <> $2 AND expires_at BETWEEN $3 AND $4 AND (created_at, digest) <= (
        SELECT created_at, digest FROM tokens
        WHERE user_id = $1 AND state = 0 AND digest <> $2 AND expires_at BETWEEN $3 AND $4
        ORDER BY created_at DESC, digest DESC LIMIT 1 OFFSET $5)
      """, .integer(userID), .blob(digest), .integer(times.lowerBound), .integer(times.upperBound),
      .integer(TokenStore.maxPerUser - 1))
  }
}

extension Transaction {
  package func insert(_ token: Token) throws { try run(token.insertion) }

  /// Updates what can change of a token.
  fileprivate func update(_ token: Token) throws {
    try run(
      Query(
        "UPDATE tokens SET expires_at = $1, family = $2, refreshed_at = $3, state = $4 WHERE digest = $5",
        .integer(token.expiresAt), .blob(token.family), .integer(orNull: token.refreshedAt),
        .integer(token.state.rawValue), .blob(token.digest)))
  }

  /// After a reset, another user may have a token with these letters, which stays.
  func delete(_ token: Token) throws {
    try run(
      Query("DELETE FROM tokens WHERE digest = $1 AND user_id = $2", .blob(token.digest), .integer(token.userID)))
  }

  /// Ends all tokens of the family of `token`.
  func removeFamily(of token: Token) throws {
    guard !token.family.isEmpty else { return }
    try run(
      Query("DELETE FROM tokens WHERE user_id = $1 AND family = $2", .integer(token.userID), .blob(token.family)))
  }

  /// Ends all tokens of a user.
  ///
  /// - Returns: how many were live.
  @discardableResult
  package func removeTokens(of userID: Int64, liveAt now: Int64 = .min) throws -> Int64 {
    let count = try number(TokenStore.countLive(of: userID, now: now))
    try run(Query("DELETE FROM tokens WHERE user_id = $1", .integer(userID)))
    return count
  }

  /// Lets the live tokens of a user, or of all users, expire at `now`.
  ///
  /// - Returns: how many they were.
  package func expireTokens(of userID: Int64?, now: Int64) throws -> Int64 {
    let live = userID.map { TokenStore.newest(of: $0, max: .max, now: now) } ?? TokenStore.live(max: .max, now: now)
    let tokens = try rows(live).map { Owned<Token>($0).record }
    for var token in tokens {
      token.expiresAt = now
      try update(token)
    }
    return Int64(tokens.count)
  }

  /// Requires that the token of a request has not been ended since the request was checked. It may have expired, and been
  /// refreshed or retired, since.
  ///
  /// - Throws: `Refusal.tokenEnded`, `Refusal.accountDisabled`.
  func requireLive(_ token: Token) throws {
    guard let now = try first(TokenStore.token(digest: token.digest), as: TokenStore.Found.self),
      now.token.userID == token.userID
    else { throw Refusal.tokenEnded }
    guard !now.isDisabled else { throw Refusal.accountDisabled }
  }
}
