import SQL
import SQLite

/// The table `microblog_users`.
package struct MicroblogUserStore: Sendable {
  let database: ApplicationDatabase

  /// The user of this name, compared to the letter.
  func find(name: String) async throws -> MicroblogUser? {
    try await database.first(Self.user(name: name))
  }

  package static func find(name: String, on connection: Connection) throws -> MicroblogUser? {
    try connection.first(user(name: name)) { MicroblogUser($0) }
  }

  private static func user(name: String) -> Query {
    Query("SELECT * FROM microblog_users WHERE name = $1", .text(name))
  }

  /// The names after `name`, in their order.
  static func names(after name: String, max: Int64) -> Query {
    Query("SELECT name FROM microblog_users WHERE name > $1 ORDER BY name LIMIT $2", .text(name), .integer(max))
  }

  /// The `ListVersion` of the names after `name`, which never change.
  static func version(after name: String, max: Int64) -> Query {
    Query(
      """
      SELECT count(*), CAST(sum(id % $1) AS bigint), 0, 0, max(name)
      FROM (SELECT id, name FROM microblog_users WHERE name > $2 ORDER BY name LIMIT $3) AS listed
      """, .integer(ListVersion.idModulus), .text(name), .integer(max))
  }

  /// The next users behind an id.
  package static func page(after id: Int64, on connection: Connection) throws -> [MicroblogUser] {
    try connection.query(page(after: id)) { MicroblogUser($0) }
  }

  package static func page(after id: Int64) -> Query {
    Query("SELECT * FROM microblog_users WHERE id > $1 ORDER BY id LIMIT 500", .integer(id))
  }

  /// All users, by id.
  package static func all(on connection: Connection) throws -> [MicroblogUser] {
    try connection.query("SELECT * FROM microblog_users ORDER BY id") { MicroblogUser($0) }
  }

  /// Makes an account.
  ///
  /// - Returns: the user's id; nil when there is one with this name.
  func insert(_ user: MicroblogUser) async throws -> Int64? {
    try await database.run(Self.insertion(of: user)).first?.integer(0)
  }

  static func insertion(of user: MicroblogUser) -> Write {
    // ON CONFLICT by itself would use up an id in SQLite, and NOT EXISTS by itself fails where two sign up at once.
    Write(
      lock: nil,
      decisive: Query(
        """
        INSERT INTO microblog_users (name, password_hash, created_at)
        SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM microblog_users WHERE name = $1)
        ON CONFLICT (name) DO NOTHING RETURNING id
        """, .text(user.name), .text(user.passwordHash), .integer(user.createdAt)),
      evidence: Query(
        "SELECT id FROM microblog_users WHERE name = $1 AND password_hash = $2", .text(user.name),
        .text(user.passwordHash)))
  }

  /// Inserts a user with the id that it has, or with the next one.
  ///
  /// - Returns: the user's id.
  @discardableResult
  package static func insert(_ user: MicroblogUser, on connection: Connection) throws -> Int64 {
    guard user.id == 0 else {
      try insertWithID(user, on: connection)
      return user.id
    }
    let query = Query(
      "INSERT INTO microblog_users (name, password_hash, created_at) VALUES ($1, $2, $3) RETURNING id",
      .text(user.name), .text(user.passwordHash), .integer(user.createdAt))
    return try connection.rows(query).first?.integer(0) ?? 0
  }

  static func insertWithID(_ user: MicroblogUser, on connection: Connection) throws {
    try connection.run(insertionWithID(of: user))
  }

  package static func insertionWithID(of user: MicroblogUser) -> Query {
    Query(
      "INSERT INTO microblog_users (id, name, password_hash, created_at) VALUES ($1, $2, $3, $4)",
      .integer(user.id), .text(user.name), .text(user.passwordHash), .integer(user.createdAt))
  }

  /// - Returns: how many there were.
  package static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM microblog_users")
    return connection.changes
  }

  /// The greatest id that there has ever been.
  package static func lastID(on connection: Connection) throws -> Int64 {
    try connection.lastRowID(of: "microblog_users")
  }

  package static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.setLastRowID(id, of: "microblog_users")
  }
}
