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
  /// - Throws: `EmailTaken` when there is one with this address.
  func insert(_ user: User) async throws -> User {
    guard let row = try await database.run(Self.insertion(of: user)).first else { throw EmailTaken() }
    var user = user
    user.id = row.integer(0)
    return user
  }

  static func insertion(of user: User) -> Write {
    // ON CONFLICT by itself would use up an id in SQLite, and NOT EXISTS by itself fails where two sign up at once.
    Write(
      lock: nil,
      decisive: Query(
        """
        INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at)
        SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (SELECT 1 FROM users WHERE email = $3)
        ON CONFLICT (email) DO NOTHING RETURNING id
        """,
        .text(orNull: user.firstName), .text(orNull: user.lastName), .text(user.email), .text(user.passwordHash),
        .integer(user.createdAt), .integer(user.updatedAt)),
      evidence: Query(
        "SELECT id FROM users WHERE email = $1 AND password_hash = $2", .text(user.email), .text(user.passwordHash)))
  }

  /// Inserts a user with the id that it has, or with the next one.
  ///
  /// - Returns: the user's id.
  @discardableResult
  package static func insert(_ user: User, on connection: Connection) throws -> Int64 {
    guard user.id == 0 else {
      try insertWithID(user, on: connection)
      return user.id
    }
    let query = Query(
      """
      INSERT INTO users (first_name, last_name, email, password_hash, created_at, updated_at, disabled_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
      """,
      .text(orNull: user.firstName), .text(orNull: user.lastName), .text(user.email), .text(user.passwordHash),
      .integer(user.createdAt), .integer(user.updatedAt), .integer(orNull: user.disabledAt))
    return try connection.rows(query).first?.integer(0) ?? 0
  }

  static func insertWithID(_ user: User, on connection: Connection) throws {
    try connection.run(insertionWithID(of: user))
  }

  package static func insertionWithID(of user: User) -> Query {
    Query(
      """
      INSERT INTO users (id, first_name, last_name, email, password_hash, created_at, updated_at, disabled_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """,
      .integer(user.id), .text(orNull: user.firstName), .text(orNull: user.lastName), .text(user.email),
      .text(user.passwordHash), .integer(user.createdAt), .integer(user.updatedAt),
      .integer(orNull: user.disabledAt))
  }

  /// What tells why a write was refused whose user must still have the password that the client has shown.
  static func passwordHash(of id: Int64) -> Query {
    Query("SELECT password_hash FROM users WHERE id = $1", .integer(id))
  }

  /// - Parameter reason: why a write was refused; its first column is the user's password.
  /// - Throws: `PasswordReplaced` if that is another one than the client has shown, or if the user was deleted.
  static func requirePassword(of user: User, in reason: Rows.Row?) throws {
    guard reason?.text(0) == user.passwordHash else { throw PasswordReplaced() }
  }

  /// Stores a new token of a user.
  ///
  /// - Parameters:
  ///   - user: as read when the token was asked for.
  ///   - checkedPassword: whether the client had to send the user's password.
  ///   - forgetting: forgets the wrong passwords before the right one, in a shared database.
  /// - Returns: false if the user was deleted meanwhile, or has another password than the one that was checked: a new
  ///   password ends all tokens, and so must end one that was asked for with the old password.
  /// - Throws: `AccountDisabled`.
  func issue(
    _ token: Token, to user: User, checkedPassword: Bool, forgetting: [Query] = []
  ) async throws -> Bool {
    let written = try await database.run(
      Self.issue(of: token, to: user, checkedPassword: checkedPassword, forgetting: forgetting))
    guard !written.isDone else { return true }
    guard let now = written.reason, now.text(1) == user.email, !checkedPassword || now.text(2) == user.passwordHash
    else { return false }
    throw AccountDisabled()
  }

  static func issue(
    of token: Token, to user: User, checkedPassword: Bool, forgetting: [Query] = []
  ) -> Write {
    Write(
      lock: .user(user.id),
      decisive: Query(
        """
        INSERT INTO tokens (digest, user_id, expires_at, created_at, family)
        SELECT $1, id, $2, $3, $4 FROM users
        WHERE id = $5 AND email = $6 AND password_hash = COALESCE($7, password_hash) AND disabled_at IS NULL
        RETURNING user_id
        """,
        .blob(token.digest), .integer(token.expiresAt), .integer(token.createdAt), .blob(token.family),
        .integer(user.id), .text(user.email), checkedPassword ? .text(user.passwordHash) : .null),
      then: TokenStore.retirement(besides: token, expiredAt: token.createdAt)
        + [RetiredTokenStore.trim(allOf: user.id)] + forgetting,
      reason: Query("SELECT disabled_at, email, password_hash FROM users WHERE id = $1", .integer(user.id)),
      evidence: TokenStore.evidence(of: token))
  }

  /// Replaces a user's password, if it is still the one that was checked, and ends all tokens but a new one.
  ///
  /// - Parameter token: of the request.
  /// - Returns: false when the password has been changed meanwhile.
  /// - Throws: `TokenEnded` when only the token has been ended meanwhile, `AccountDisabled`.
  func replacePassword(
    of user: User, by passwordHash: String, as token: Token, newToken: Token
  ) async throws -> Bool {
    let written = try await database.run(
      Self.replacement(ofPasswordOf: user, by: passwordHash, as: token, newToken: newToken))
    guard !written.isDone else { return true }
    guard written.reason?.text(2) == user.passwordHash else { return false }
    try TokenStore.requireLiving(in: written.reason)
    return false
  }

  static func replacement(
    ofPasswordOf user: User, by passwordHash: String, as token: Token, newToken: Token
  ) -> Write {
    // No two hashes are equal, so a user with the new one got it from the first statement.
    let ifReplaced: [Value] = [.integer(user.id), .text(passwordHash)]
    return Write(
      lock: .user(user.id),
      decisive: Query(
        """
        UPDATE users SET password_hash = $1, updated_at = $2
        WHERE id = $3 AND password_hash = $4 AND disabled_at IS NULL
          AND (EXISTS (SELECT 1 FROM tokens WHERE digest = $5 AND user_id = users.id)
            OR EXISTS (
              SELECT 1 FROM retired_tokens WHERE digest = $5 AND user_id = users.id AND refreshed_at IS NOT NULL))
        RETURNING id
        """,
        .text(passwordHash), .integer(newToken.createdAt), .integer(user.id), .text(user.passwordHash),
        .blob(token.digest)),
      then: [
        Query(
          """
          DELETE FROM retired_tokens
          WHERE user_id = $1 AND EXISTS (SELECT 1 FROM users WHERE id = $1 AND password_hash = $2)
          """, values: ifReplaced),
        Query(
          """
          DELETE FROM tokens
          WHERE user_id = $1 AND EXISTS (SELECT 1 FROM users WHERE id = $1 AND password_hash = $2)
          """, values: ifReplaced),
        Query(
          """
          INSERT INTO tokens (digest, user_id, expires_at, created_at, family)
          SELECT $1, id, $2, $3, $4 FROM users WHERE id = $5 AND password_hash = $6
          """,
          .blob(newToken.digest), .integer(newToken.expiresAt), .integer(newToken.createdAt), .blob(newToken.family),
          .integer(user.id), .text(passwordHash)),
      ],
      reason: TokenStore.life(of: token),
      evidence: TokenStore.evidence(of: newToken))
  }

  package static let countDisabled = Query("SELECT count(disabled_at) FROM users")

  package static func settingUpdatedAt(_ time: Int64, of id: Int64) -> Query {
    Query("UPDATE users SET updated_at = $1 WHERE id = $2", .integer(time), .integer(id))
  }

  /// - Returns: how many there were.
  package static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM users")
    return connection.changes
  }

  /// The greatest id that there has ever been.
  package static func lastID(on connection: Connection) throws -> Int64 { try connection.lastRowID(of: "users") }

  package static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.setLastRowID(id, of: "users")
  }
}

/// There is an account of this address already.
struct EmailTaken: Error {}

/// A user has another password than a moment ago, or was deleted.
struct PasswordReplaced: Error {}
