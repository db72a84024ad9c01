import Platform
import SQL
import SQLite

/// The table `users`.
package struct UserStore: Sendable {
  let database: ApplicationDatabase

  /// The user of this address, compared to the letter. No address has a NUL, with which a shared database could not be
  /// asked.
  package func find(email: String) async throws -> User? {
    guard !email.hasNUL else { return nil }
    return try await database.first(Self.user(email: email))
  }

  package static func find(email: String, on connection: Connection) throws -> User? {
    try connection.first(user(email: email)) { User($0) }
  }

  package static func user(email: String) -> Query {
    Query("SELECT * FROM users WHERE email = $1", .text(email))
  }

  package func find(id: Int64) async throws -> User? {
    try await database.first(Self.user(id: id))
  }

  package static func find(id: Int64, on connection: Connection) throws -> User? {
    try connection.first(user(id: id)) { User($0) }
  }

  package static func user(id: Int64) -> Query {
    Query("SELECT * FROM users WHERE id = $1", .integer(id))
  }

  /// All users, by id.
  package static func all(on connection: Connection) throws -> [User] {
    try connection.query("SELECT * FROM users ORDER BY id") { User($0) }
  }

  /// The users behind an id, in order, 500 at most.
  package static func page(after id: Int64) -> Query {
    Query("SELECT * FROM users WHERE id > $1 ORDER BY id LIMIT 500", .integer(id))
  }

  package static func count(on connection: Connection) throws -> Int64 {
    try connection.first(count) { $0.integer(0) } ?? 0
  }

  package static let count = Query("SELECT count(*) FROM users")

  /// Makes an account, and returns it with its id.
  ///
  /// - Throws: `AccountExists`.
  func insert(_ user: User) async throws -> User {
    try await database.write(about: .all) { tx in
      // Without this look, SQLite would use up an id for a user whom it does not insert.
      guard try !tx.exists(Self.user(email: user.email)) else { throw AccountExists() }
      var user = user
      user.id = try tx.insert(user)
      return user
    }
  }

  package static let countDisabled = Query("SELECT count(disabled_at) FROM users")

  package static func settingUpdatedAt(_ time: Int64, of id: Int64) -> Query {
    Query("UPDATE users SET updated_at = $1 WHERE id = $2", .integer(time), .integer(id))
  }

  /// The greatest id that there has ever been.
  package static func lastID(on connection: Connection) throws -> Int64 { try connection.lastRowID(of: "users") }

  package static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.setLastRowID(id, of: "users")
  }

  /// Inserts a user with the id that it has, or with the next one, and has a row with the id.
  package static func insertion(of user: User) -> Query {
    let values: [Value] = [
      .text(orNull: user.firstName), .text(orNull: user.lastName), .text(user.email), .text(user.passwordHash),
      .integer(user.createdAt), .integer(user.updatedAt), .integer(orNull: user.disabledAt),
    ]
    guard user.id != 0 else {
      return Query(
        """
        INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at, disabled_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email) DO NOTHING RETURNING id
        """, values: values)
    }
    return Query(
      """
      INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at, disabled_at, id)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (email) DO NOTHING RETURNING id
      """, values: values + [.integer(user.id)])
  }
}

extension Transaction {
  /// Inserts a user with the id that it has, or with the next one.
  ///
  /// - Returns: the user's id.
  /// - Throws: `AccountExists`.
  @discardableResult
  package func insert(_ user: User) throws -> Int64 {
    guard let id = try first(UserStore.insertion(of: user), as: NumberRow.self)?.value else { throw AccountExists() }
    return id
  }

  /// Requires that a user still has the password that the client has sent.
  ///
  /// - Throws: `PasswordReplaced`, also if the user was deleted.
  func requirePassword(of user: User) throws {
    guard try first(UserStore.user(id: user.id), as: User.self)?.passwordHash == user.passwordHash else {
      throw PasswordReplaced()
    }
  }

  /// - Returns: how many there were.
  package func removeAllUsers() throws -> Int64 { try run(Query("DELETE FROM users")) }
}

/// There is an account with this email address, or this name, already.
package struct AccountExists: Error {}

/// A user has another password than a moment ago, or was deleted.
struct PasswordReplaced: Error {}

/// The owner has disabled the account that a request is about.
struct AccountDisabled: Error {}
