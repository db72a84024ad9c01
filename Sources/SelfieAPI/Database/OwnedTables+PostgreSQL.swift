import SQL

/// A table whose rows belong to users, which triggers of PostgreSQL look after, unless a restore has disabled them. A
/// check asks for it by ranges of users, so that no statement takes long, however many rows there are.
package struct OwnedTable: Sendable {
  package let name: String
  /// The last of the next 500 users whose ids are not less than this one; NULL if there is none.
  package let lastUser: @Sendable (_ first: Int64) -> Query
  /// How many rows belong to users of these ids, and there are no such users.
  package let rowsWithoutUser: @Sendable (_ userIDs: ClosedRange<Int64>) -> Query

  package static let all: [OwnedTable] = [
    photos,
    OwnedTable(name: "tokens", lastUser: nextUsers) { ids in
      Query(
        """
        SELECT count(*) FROM tokens WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = tokens.user_id)
        """, .integer(ids.lowerBound), .integer(ids.upperBound))
    },
    OwnedTable(name: "notes", lastUser: nextUsers) { ids in
      Query(
        """
        SELECT count(*) FROM notes WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = notes.user_id)
        """, .integer(ids.lowerBound), .integer(ids.upperBound))
    },
    OwnedTable(name: "microblog_sessions", lastUser: nextMicroblogUsers) { ids in
      Query(
        """
        SELECT count(*) FROM microblog_sessions WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM microblog_users WHERE microblog_users.id = microblog_sessions.user_id)
        """, .integer(ids.lowerBound), .integer(ids.upperBound))
    },
    OwnedTable(name: "blogposts", lastUser: nextMicroblogUsers) { ids in
      Query(
        """
        SELECT count(*) FROM blogposts WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM microblog_users WHERE microblog_users.id = blogposts.user_id)
        """, .integer(ids.lowerBound), .integer(ids.upperBound))
    },
  ]

  package static let photos = OwnedTable(name: "photos", lastUser: nextUsers) { ids in
    Query(
      """
      SELECT count(*) FROM photos WHERE user_id BETWEEN $1 AND $2
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = photos.user_id)
      """, .integer(ids.lowerBound), .integer(ids.upperBound))
  }

  @Sendable private static func nextUsers(from first: Int64) -> Query {
    Query(
      "SELECT max(id) FROM (SELECT id FROM users WHERE id >= $1 ORDER BY id LIMIT 500) AS next", .integer(first))
  }

  @Sendable private static func nextMicroblogUsers(from first: Int64) -> Query {
    Query(
      "SELECT max(id) FROM (SELECT id FROM microblog_users WHERE id >= $1 ORDER BY id LIMIT 500) AS next",
      .integer(first))
  }

  /// The users of these ids whose photos have another number of bytes than is noted.
  package static func wrongSums(of userIDs: ClosedRange<Int64>) -> Query {
    Query(
      """
      SELECT COALESCE(sums.user_id, noted.user_id)
      FROM (SELECT * FROM photo_bytes WHERE user_id BETWEEN $1 AND $2) AS noted
      FULL JOIN (
        SELECT user_id, CAST(sum(byte_count) AS bigint) AS byte_count FROM photos
        WHERE user_id BETWEEN $1 AND $2 GROUP BY user_id) AS sums ON sums.user_id = noted.user_id
      WHERE COALESCE(sums.byte_count, 0) <> COALESCE(noted.byte_count, 0)
      """, .integer(userIDs.lowerBound), .integer(userIDs.upperBound))
  }
}
