import SQLite
import SelfieAPI

/// What a test's control of the storage asks the table `users` for, and does to it.
extension UserStore {
  static func all(on connection: Connection) throws -> [StateDocument.User] {
    try connection.query(
      "SELECT id, email, first_name, last_name, password_hash, created_at, updated_at FROM users ORDER BY id"
    ) { row in
      StateDocument.User(
        id: row.integer(0), email: row.text(1) ?? "", firstName: row.text(2), lastName: row.text(3),
        passwordHash: row.text(4) ?? "", createdAt: row.integer(5), updatedAt: row.integer(6))
    }
  }

  /// - Parameter id: nil for a new one.
  /// - Returns: the id.
  static func insert(
    id: Int64?, _ user: StateDocument.User, now: Int64, on connection: Connection
  ) throws -> Int64 {
    let createdAt = user.createdAt ?? now
    try connection.run(
      """
      INSERT INTO users (id, first_name, last_name, email, password_hash, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      id.map(Value.integer) ?? .null, .text(orNull: user.firstName), .text(orNull: user.lastName), .text(user.email),
      .text(user.passwordHash), .integer(createdAt), .integer(user.updatedAt ?? createdAt))
    return connection.lastInsertRowID
  }

  static func id(email: String, on connection: Connection) throws -> Int64? {
    try connection.first("SELECT id FROM users WHERE email = ?", .text(email)) { $0.integer(0) }
  }

  /// - Returns: how many there were.
  static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM users")
    return connection.changes
  }

  /// The greatest id that there has ever been.
  static func lastID(on connection: Connection) throws -> Int64 {
    try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'users'") { $0.integer(0) } ?? 0
  }

  /// - Parameter id: not less than any that there is.
  static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.run("DELETE FROM sqlite_sequence WHERE name = 'users'")
    if id > 0 { try connection.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('users', ?)", .integer(id)) }
  }
}
