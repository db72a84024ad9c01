import SQLite

/// The table `users`.
package struct UserStore: Sendable {
  let database: Database

  /// The user of this address, compared to the letter.
  func find(email: String) throws -> User? {
    try database.read { connection in
      try connection.first(
        "SELECT id, first_name, last_name, email, password_hash FROM users WHERE email = ?", .text(email),
        row: Self.user)
    }
  }

  func find(id: Int64) throws -> User? {
    try database.read { try Self.find(id: id, on: $0) }
  }

  static func find(id: Int64, on connection: Connection) throws -> User? {
    try connection.first(
      "SELECT id, first_name, last_name, email, password_hash FROM users WHERE id = ?", .integer(id), row: user)
  }

  /// Makes an account.
  ///
  /// - Parameter now: unix milliseconds.
  /// - Throws: `EmailTaken` when there is one with this address.
  func insert(
    firstName: String?, lastName: String?, email: String, passwordHash: String, now: Int64
  ) async throws -> User {
    try await database.write { connection in
      do throws(SQLiteError) {
        try connection.run(
          """
          INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
          .text(orNull: firstName), .text(orNull: lastName), .text(email), .text(passwordHash), .integer(now),
          .integer(now))
      } catch {
        throw error.isUniqueViolation ? EmailTaken() : error
      }
      return User(
        id: connection.lastInsertRowID, firstName: firstName, lastName: lastName, email: email,
        passwordHash: passwordHash)
    }
  }

  /// Replaces a user's password, if it is still the one that was checked, and ends all tokens but a new one.
  ///
  /// - Returns: false when the password has been changed meanwhile.
  func replacePassword(of user: User, by passwordHash: String, token: Token) async throws -> Bool {
    try await database.write { connection in
      try connection.run(
        "UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ? AND password_hash = ?",
        .text(passwordHash), .integer(token.createdAt), .integer(user.id), .text(user.passwordHash))
      guard connection.changes == 1 else { return false }
      try TokenStore.removeAll(of: user.id, on: connection)
      try TokenStore.insert(token, on: connection)
      return true
    }
  }

  private static func user(_ row: borrowing Row) -> User {
    User(
      id: row.integer(0), firstName: row.text(1), lastName: row.text(2), email: row.text(3) ?? "",
      passwordHash: row.text(4) ?? "")
  }
}

/// There is an account of this address already.
struct EmailTaken: Error {}

extension Value {
  /// A text, or null for nil.
  package static func text(orNull text: String?) -> Value {
    text.map(Value.text) ?? .null
  }
}
