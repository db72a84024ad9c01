package import SQL

/// The queries of the table `blogposts`. Blogposts.swift has the endpoints.
package struct BlogpostStore: Sendable {
  let database: ApplicationDatabase

  /// The newest posts before the row `id`, newest first, each with the name of its author before it.
  static func newest(before id: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT name, blogposts.* FROM blogposts LEFT JOIN microblog_users ON microblog_users.id = user_id
      WHERE blogposts.id < $1 ORDER BY blogposts.id DESC LIMIT $2
      """, .integer(id), .integer(max))
  }

  /// The `ListVersion` of the newest posts before the row `id`, which never change.
  static func version(before id: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT count(*) AS row_count, sum(id % $1) AS id_sum,
        (SELECT uuid FROM blogposts WHERE id < $2 ORDER BY id DESC LIMIT 1) AS newest
      FROM (SELECT id FROM blogposts WHERE id < $2 ORDER BY id DESC LIMIT $3) AS listed
      """, .integer(ListVersion.idModulus), .integer(id), .integer(max))
  }

  /// The next posts after an id.
  package static func page(after id: Int64 = .min, max: Int64 = 500) -> Query {
    Query("SELECT * FROM blogposts WHERE id > $1 ORDER BY id LIMIT $2", .integer(id), .integer(max))
  }

  /// The row of a post.
  package static func rowID(of uuid: String) -> Query {
    Query("SELECT id FROM blogposts WHERE uuid = $1", .text(uuid))
  }

  /// Inserts a post.
  ///
  /// - Returns: false if the session with which it was sent has ended.
  /// - Throws: `Refusal.tooManyPosts`.
  func insert(_ post: Blogpost, ifLives session: [UInt8]) async throws -> Bool {
    try await database.write(about: .microblogUser(post.userID)) { tx in
      let now = try tx.first(MicroblogSessionStore.session(digest: session), as: MicroblogSession.self)
      guard now?.userID == post.userID else { return false }
      let count = Query("SELECT count(*) FROM blogposts WHERE user_id = $1", .integer(post.userID))
      guard try tx.number(count) < Blogpost.maxPerUser else { throw Refusal.tooManyPosts }
      try tx.insert(post)
      return true
    }
  }
}

extension Blogpost: NumberedRecord {
  package var insertion: Query {
    Query(
      "INSERT INTO blogposts (id, uuid, user_id, text, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id", idOrNext,
      .text(uuid), .integer(userID), .text(text), .integer(createdAt))
  }
}
