import SQLite
import SelfieAPI

extension StoredState {
  /// Lets tokens expire now.
  ///
  /// - Parameter email: the email of the tokens' user; nil for all users.
  /// - Returns: how many expired.
  /// - Throws: `StateError` when the user does not exist.
  public func expireTokens(email: String? = nil) async throws -> Int64 {
    let now = application.clock()
    return try await database.write { connection in
      try connection.expireTokens(of: Self.userID(email, on: connection), now: now)
    }
  }

  /// Removes tokens, as signing out does.
  ///
  /// - Parameter email: the email of the tokens' user; nil for all users.
  /// - Returns: how many were removed, expired ones included.
  /// - Throws: `StateError` when the user does not exist.
  public func revokeTokens(email: String? = nil) async throws -> Int64 {
    try await database.write { connection in
      guard let userID = try Self.userID(email, on: connection) else {
        return try connection.removeAllTokens()
      }
      return try connection.removeTokens(of: userID)
    }
  }

  private static func userID(_ email: String?, on connection: Connection) throws -> Int64? {
    guard let email else { return nil }
    guard let user = try UserStore.find(email: email, on: connection) else {
      throw StateError(.notFound, "There is no user with the email \(email). Emails are compared to the letter.")
    }
    return user.id
  }
}
