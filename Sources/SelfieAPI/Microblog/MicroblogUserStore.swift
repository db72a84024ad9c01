package import SQL

/// The queries of the table `microblog_users`. MicroblogAccounts.swift has the endpoints.
package struct MicroblogUserStore: Sendable {
  let database: ApplicationDatabase

  /// The user of this name, which is case-sensitive.
  func find(name: String) async throws -> MicroblogUser? {
    // Looking for a name of 64 KB would keep an event loop.
    guard MicroblogUser.problem(name: name) == nil else { return nil }
    return try await database.first(Self.user(name: name))
  }

  package static func user(name: String) -> Query {
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
      SELECT count(*) AS row_count, sum(id % $1) AS id_sum, max(name) AS newest
      FROM (SELECT id, name FROM microblog_users WHERE name > $2 ORDER BY name LIMIT $3) AS listed
      """, .integer(ListVersion.idModulus), .text(name), .integer(max))
  }

  /// The next users after an id.
  package static func page(after id: Int64 = .min, max: Int64 = 500) -> Query {
    Query("SELECT * FROM microblog_users WHERE id > $1 ORDER BY id LIMIT $2", .integer(id), .integer(max))
  }

  /// Makes an account.
  ///
  /// - Returns: the user's id.
  /// - Throws: `Refusal.accountExists`.
  func insert(_ user: MicroblogUser) async throws -> Int64 {
    try await database.write(about: .nobody) { tx in
      // Without this check, SQLite would use up an id for a user whom it does not insert.
      guard try !tx.exists(Self.user(name: user.name)) else { throw Refusal.accountExists }
      return try tx.insert(user)
    }
  }
}

extension MicroblogUser: NumberedRecord {
  package var insertion: Query {
    Query(
      """
      INSERT INTO microblog_users (id, name, password_hash, created_at)
      VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING id
      """, idOrNext, .text(name), .text(passwordHash), .integer(createdAt))
  }
}

extension Transaction {
  /// Removes all users with all that is theirs.
  package func removeAllMicroblogUsers() throws { try run(Query("DELETE FROM microblog_users")) }
}
