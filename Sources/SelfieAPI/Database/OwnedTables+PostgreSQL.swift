import SQL

/// A table whose rows belong to users, which triggers of PostgreSQL look after, unless a restore has disabled them. A
/// check asks for it by ranges of users, so that no statement takes long, however many rows there are.
package enum OwnedTable: String, CaseIterable, Sendable {
  case photos, tokens, notes, blogposts
  case microblogSessions = "microblog_sessions"

  /// The last of the next 500 users whose ids are not less than `first`; NULL if there is none.
  package func lastUser(from first: Int64) -> Query {
    switch self {
    case .photos, .tokens, .notes:
      Query(
        "SELECT max(id) FROM (SELECT id FROM users WHERE id >= $1 ORDER BY id LIMIT 500) AS next", .integer(first))
    case .blogposts, .microblogSessions:
      Query(
        "SELECT max(id) FROM (SELECT id FROM microblog_users WHERE id >= $1 ORDER BY id LIMIT 500) AS next",
        .integer(first))
    }
  }

  /// How many rows belong to users of these ids, and there are no such users.
  package func rowsWithoutUser(_ userIDs: ClosedRange<Int64>) -> Query {
    Query(rowsWithoutUser, .integer(userIDs.lowerBound), .integer(userIDs.upperBound))
  }

  private var rowsWithoutUser: StaticString {
    switch self {
    case .photos:
      """
      SELECT count(*) FROM photos WHERE user_id BETWEEN $1 AND $2
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = photos.user_id)
      """
    case .tokens:
      """
      SELECT count(*) FROM tokens WHERE user_id BETWEEN $1 AND $2
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = tokens.user_id)
      """
    case .notes:
      """
      SELECT count(*) FROM notes WHERE user_id BETWEEN $1 AND $2
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = notes.user_id)
      """
    case .blogposts:
      """
      SELECT count(*) FROM blogposts WHERE user_id BETWEEN $1 AND $2
        AND NOT EXISTS (SELECT 1 FROM microblog_users WHERE microblog_users.id = blogposts.user_id)
      """
    case .microblogSessions:
      """
      SELECT count(*) FROM microblog_sessions WHERE user_id BETWEEN $1 AND $2
        AND NOT EXISTS (SELECT 1 FROM microblog_users WHERE microblog_users.id = microblog_sessions.user_id)
      """
    }
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
