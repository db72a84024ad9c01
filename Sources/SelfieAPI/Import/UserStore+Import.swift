import SQLite

/// What an import asks the table `users` for, and adds to it.
extension UserStore {
  /// As much of an account as an import compares.
  struct Existing {
    let id: Int64
    let passwordHash: String
    let updatedAt: Int64
  }

  static func existing(email: String, on connection: Connection) throws -> Existing? {
    try connection.first("SELECT id, password_hash, updated_at FROM users WHERE email = ?", .text(email)) { row in
      Existing(id: row.integer(0), passwordHash: row.text(1) ?? "", updatedAt: row.integer(2))
    }
  }

  static func exists(id: Int64, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM users WHERE id = ?", .integer(id)) { _ in true } ?? false
  }

  /// - Returns: the id, which is a new one if it is to have none.
  static func insert(_ user: ImportPlan.NewUser, on connection: Connection) throws -> Int64 {
    try connection.run(
      """
      INSERT INTO users (id, first_name, last_name, email, password_hash, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      user.id.map(Value.integer) ?? .null, .text(orNull: user.firstName), .text(orNull: user.lastName),
      .text(user.email), .text(user.passwordHash), .integer(user.createdAt), .integer(user.updatedAt))
    return connection.lastInsertRowID
  }

  /// Notes how new the import is that has looked at this user.
  static func setUpdatedAt(_ time: Int64, of id: Int64, on connection: Connection) throws {
    try connection.run("UPDATE users SET updated_at = ? WHERE id = ?", .integer(time), .integer(id))
  }
}
