import SQL
import SQLite

/// The table `microblog_users`.
package struct MicroblogUserStore: Sendable {
  let database: ApplicationDatabase

  /// The user of this name, which is case-sensitive.
  func find(name: String) async throws -> MicroblogUser? {
    guard !name.hasNUL else { return nil }
    return try await database.first(Self.user(name: name))
  }

  package static func find(name: String, on connection: Connection) throws -> MicroblogUser? {
    try connection.first(user(name: name)) { MicroblogUser($0) }
  }

  static func user(name: String) -> Query {
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

  /// The next users after an id.
  package static func page(after id: Int64 = .min, max: Int64 = 500) -> Query {
    Query("SELECT * FROM microblog_users WHERE id > $1 ORDER BY id LIMIT $2", .integer(id), .integer(max))
  }

  /// All users, by id.
  package static func all(on connection: Connection) throws -> [MicroblogUser] {
    try connection.query(page(max: .max)) { MicroblogUser($0) }
  }

  /// Makes an account.
  ///
  /// - Returns: the user's id.
  /// - Throws: `Refusal.accountExists`.
  func insert(_ user: MicroblogUser) async throws -> Int64 {
    try await database.write(about: .all) { tx in
      // Without this look, SQLite would use up an id for a user whom it does not insert.
      guard try !tx.exists(Self.user(name: user.name)) else { throw Refusal.accountExists }
      return try tx.insert(user)
    }
  }

  /// Inserts a user with the id that it has, or with the next one, and has a row with the id.
  package static func insertion(of user: MicroblogUser) -> Query {
    let values: [Value] = [
      .text(user.name), .text(user.passwordHash), .integer(user.createdAt),
    ]
    guard user.id != 0 else {
      return Query(
        """
        INSERT INTO microblog_users (name, password_hash, created_at)
        VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id
        """, values: values)
    }
    return Query(
      """
      INSERT INTO microblog_users (name, password_hash, created_at, id)
      VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING id
      """, values: values + [.integer(user.id)])
  }
}

extension Transaction {
  /// - Returns: the user's id.
  /// - Throws: `Refusal.accountExists`.
  @discardableResult
  package func insert(_ user: MicroblogUser) throws -> Int64 {
    guard let id = try first(MicroblogUserStore.insertion(of: user), as: Int64.self) else {
      throw Refusal.accountExists
    }
    return id
  }

  /// - Returns: how many there were.
  package func removeAllMicroblogUsers() throws -> Int64 { try run(Query("DELETE FROM microblog_users")) }
}
