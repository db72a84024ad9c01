import SQLite
import SelfieAPI

extension StoredState {
  /// Lets tokens expire at this moment, as if their time were over.
  ///
  /// - Parameter email: of the user whose tokens they are; nil for everybody's.
  /// - Returns: how many have expired.
  /// - Throws: `StateError` when there is no such user.
  public func expireTokens(email: String? = nil) async throws -> Int64 {
    let now = application.clock()
    return try await database.write { connection in
      try TokenStore.expireAll(of: Self.userID(email, on: connection), now: now, on: connection)
    }
  }

  /// Ends tokens, as signing out does: nobody knows them any more.
  ///
  /// - Parameter email: of the user whose tokens they are; nil for everybody's.
  /// - Returns: how many were ended, expired ones included.
  /// - Throws: `StateError` when there is no such user.
  public func revokeTokens(email: String? = nil) async throws -> Int64 {
    try await database.write { connection in
      guard let userID = try Self.userID(email, on: connection) else {
        return try TokenStore.removeAll(on: connection)
      }
      try TokenStore.removeAll(of: userID, on: connection)
      return connection.changes
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
