import SQLite

/// What an import asks the table `users` for, and adds to it.
extension UserStore {
  /// As much of an account as an import compares.
  package struct Existing {
    package let id: Int64
    package let passwordHash: String
    package let updatedAt: Int64
  }

  package static func existing(email: String, on connection: Connection) throws -> Existing? {
    try connection.first("SELECT id, password_hash, updated_at FROM users WHERE email = ?", .text(email)) { row in
      Existing(id: row.integer(0), passwordHash: row.text(1) ?? "", updatedAt: row.integer(2))
    }
  }

  package static func exists(id: Int64, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM users WHERE id = ?", .integer(id)) { _ in true } ?? false
  }

  /// Notes how new the import is that has looked at this user.
  package static func setUpdatedAt(_ time: Int64, of id: Int64, on connection: Connection) throws {
    try connection.run("UPDATE users SET updated_at = ? WHERE id = ?", .integer(time), .integer(id))
  }
}
