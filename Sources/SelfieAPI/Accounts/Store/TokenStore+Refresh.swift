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
    return found.pair
  }

  private struct TokenOfUser: RowRecord {
    var token: Token
    let user: User

    var pair: (token: Token, user: User) { (token, user) }

    init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
      token = Token(row, from: first)
      user = User(row, from: first + 7)
    }
  }

  /// The token of this digest, also a retired one, and its user.
  private static func withUser(_ digest: [UInt8]) -> Query {
    Query("SELECT tokens.*, users.* FROM tokens JOIN users ON users.id = user_id WHERE digest = $1", .blob(digest))
  }

  /// Stores a new token in place of an old one, which expires within a minute. Expired tokens stay, because uploads may
  /// still be under way with them.
  ///
  /// - Throws: `AccountDisabled`.
  func refresh(_ old: Token, by new: Token) async throws -> Refresh {
    try await database.write(about: .user(old.userID)) { [policy] tx in
      // After a reset, another user may have the id.
      guard var current = try tx.first(Self.withUser(old.digest), as: TokenOfUser.self),
        current.token.userID == new.userID
      else { return .denied }
      guard current.user.disabledAt == nil else { throw AccountDisabled() }
      // One that stands for a forgotten token.
      if old.refreshedAt == 0 { current.token.refreshedAt = 0 }
      let old = current.token
      switch policy.verdict(on: old, now: new.createdAt) {
      case .denied: return .denied
      case .reused:
        try tx.removeFamily(of: old)
        return .reused
      case .allowed:
        var new = new
        new.family = old.family
        try tx.insert(new)
        if old.refreshedAt == nil { try tx.noteRefresh(of: old, at: new.createdAt) }
        try tx.retireTokens(ofFamilyOf: new)
        try tx.retireTokens(besides: new, expiredAt: .min)
        try tx.trimRetiredTokens(ofFamilyOf: new)
        return .refreshed(current.user)
      }
    }
  }

  /// Ends the right to refresh a token, and ends the others of its family.
  func forbidRefresh(of token: Token) async throws {
    try await database.write(about: .user(token.userID), makesRoom: true) { tx in
      try tx.run(Query("UPDATE tokens SET family = $1 WHERE digest = $2", .blob([]), .blob(token.digest)))
      try tx.removeFamily(of: token)
    }
  }
}

extension Transaction {
  /// Notes the first refresh of a token.
  fileprivate func noteRefresh(of token: Token, at time: Int64) throws {
    try run(
      Query(
        "UPDATE tokens SET refreshed_at = $1, expires_at = $2 WHERE digest = $3", .integer(time),
        .integer(min(token.expiresAt, RefreshPolicy.lastExpiry(refreshedAt: time))), .blob(token.digest)))
  }
}
