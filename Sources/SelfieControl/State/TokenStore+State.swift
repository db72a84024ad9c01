import SQLite
import SelfieAPI

/// What a test's control of the storage asks the table `tokens` for, and does to it.
extension TokenStore {
  static func all(on connection: Connection) throws -> [StateDocument.Token] {
    try connection.query(
      "SELECT digest, user_id, expires_at, created_at FROM tokens ORDER BY user_id, created_at, digest"
    ) { row in
      StateDocument.Token(
        digest: row.blob(0), userID: row.integer(1), expiresAt: row.integer(2), createdAt: row.integer(3))
    }
  }

  /// - Returns: how many there were.
  static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM tokens")
    return connection.changes
  }

  /// Lets the live tokens of a user, or of everybody, expire at `now`.
  ///
  /// - Returns: how many they were.
  static func expireAll(of userID: Int64?, now: Int64, on connection: Connection) throws -> Int64 {
    if let userID {
      try connection.run(
        "UPDATE tokens SET expires_at = ? WHERE user_id = ? AND expires_at > ?", .integer(now), .integer(userID),
        .integer(now))
    } else {
      try connection.run("UPDATE tokens SET expires_at = ? WHERE expires_at > ?", .integer(now), .integer(now))
    }
    return connection.changes
  }
}
