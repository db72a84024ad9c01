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
  func refreshable(digest: [UInt8], now: Int64) throws -> Token? {
    try database.read { connection in
      guard let token = try Self.findAny(digest: digest, on: connection), policy.verdict(on: token, now: now) != .denied
      else { return nil }
      return token
    }
  }

  /// Stores a new token in place of an old one, in whose family it is from then on.
  func refresh(_ old: Token, by new: Token) async throws -> Refresh {
    let policy = policy
    return try await database.write { connection in
      // It may have been ended, or refreshed, since its request was checked. After a reset, another user may have the id.
      guard let old = try Self.findAny(digest: old.digest, on: connection), old.userID == new.userID,
        let user = try UserStore.find(id: old.userID, on: connection)
      else { return .denied }
      guard user.disabledAt == nil else { throw AccountDisabled() }
      switch policy.verdict(on: old, now: new.createdAt) {
      case .allowed:
        var new = new
        new.family = old.family
        try Self.insert(new, inPlaceOf: old, on: connection)
        return .refreshed(user)
      case .reused:
        try Self.remove(familyOf: old, on: connection)
        return .reused
      case .denied: return .denied
      }
    }
  }

  /// Ends the right to refresh a token, and ends the others of its family.
  func forbidRefresh(of token: Token) async throws {
    try await database.write(makesRoom: true) { connection in
      try connection.run("UPDATE tokens SET family = $1 WHERE digest = $2", .blob([]), .blob(token.digest))
      try Self.remove(familyOf: token, on: connection)
    }
  }

  /// A token of this digest, live, expired or refreshed.
  package static func findAny(digest: [UInt8], on connection: Connection) throws -> Token? {
    try find(digest: digest, on: connection) ?? RetiredTokenStore.find(digest: digest, on: connection)
  }
}
