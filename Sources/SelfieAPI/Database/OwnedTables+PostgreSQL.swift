package import SQL

/// A table of users. Triggers of PostgreSQL look after what belongs to them, unless a restore has disabled these. A
/// check asks by ranges of users, so that no statement takes long, however many rows there are. `ClusterCheck` in
/// SelfieOperations runs the queries.
package enum UserTable: CaseIterable, Sendable {
  case users, microblogUsers

  /// The rows of a table that belong to no user.
  package struct RowsWithoutUser: RowRecord {
    package let table: String
    package let count: Int64

    package init(_ row: borrowing some RowReader & ~Copyable) { (table, count) = (row["table_name"], row["row_count"]) }
  }

  /// The rows that belong to users of these ids though there are no such users, as `RowsWithoutUser` of each table.
  package func rowsWithoutUser(_ userIDs: ClosedRange<Int64>) -> Query {
    switch self {
    case .users:
      Query(
        """
        SELECT 'photos' AS table_name, count(*) AS row_count FROM photos WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = user_id)
        UNION ALL SELECT 'tokens', count(*) FROM tokens WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = user_id)
        UNION ALL SELECT 'notes', count(*) FROM notes WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = user_id)
        """, .integer(userIDs.lowerBound), .integer(userIDs.upperBound))
    case .microblogUsers:
      Query(
        """
        SELECT 'blogposts' AS table_name, count(*) AS row_count FROM blogposts WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM microblog_users WHERE microblog_users.id = user_id)
        UNION ALL SELECT 'microblog_sessions', count(*) FROM microblog_sessions WHERE user_id BETWEEN $1 AND $2
          AND NOT EXISTS (SELECT 1 FROM microblog_users WHERE microblog_users.id = user_id)
        """, .integer(userIDs.lowerBound), .integer(userIDs.upperBound))
    }
  }

  /// The users of these ids whose recorded number of photos, or of their bytes, is wrong.
  package static func wrongSums(of userIDs: ClosedRange<Int64>) -> Query {
    Query(
      """
      SELECT COALESCE(sums.user_id, noted.user_id)
      FROM (SELECT * FROM photo_bytes WHERE user_id BETWEEN $1 AND $2) AS noted
      FULL JOIN (
        SELECT user_id, sum(byte_count) AS byte_count, count(*) AS photo_count FROM photos
        WHERE user_id BETWEEN $1 AND $2 GROUP BY user_id) AS sums ON sums.user_id = noted.user_id
      WHERE (sums.byte_count, sums.photo_count) IS DISTINCT FROM (noted.byte_count, noted.photo_count)
      """, .integer(userIDs.lowerBound), .integer(userIDs.upperBound))
  }
}
