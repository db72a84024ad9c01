import SQLite

/// What an import asks the table `tokens` for.
extension TokenStore {
  /// The user of a token, expired or not.
  package static func userID(digest: [UInt8], on connection: Connection) throws -> Int64? {
    try connection.first("SELECT user_id FROM tokens WHERE digest = ?", .blob(digest)) { $0.integer(0) }
  }
}
