package import SQL

/// The queries by which a cluster's database is checked. `ClusterCheck` and ClusterStorage.swift in SelfieOperations
/// run them.
package enum ClusterQueries {
  /// The other processes of this program that have connections to the database: the beginning that the names of these
  /// have in common, and from where the process connects. Behind a PgBouncer, that is where the PgBouncer is, and a process that
  /// has ended stays for as long as the PgBouncer keeps the connections that it has used last.
  package static let otherProcesses = Query(
    """
    SELECT DISTINCT left(application_name, -13) || ' from ' || COALESCE(host(client_addr), 'the machine of the database')
    FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ ' [0-9a-f]{12} [0-9a-f]{12}$'
      AND left(application_name, -13) <> left(current_setting('application_name'), -13)
    ORDER BY 1
    """)

  /// The names of settings that are off and must be on for a commit to be on a disk.
  package static let unsafeSettings = Query(
    """
    SELECT name FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
    """)

  /// The number of unfinished uploads that began `age` milliseconds ago or earlier.
  package static func uploads(olderThan age: Int64) -> Query {
    Query("SELECT count(*) FROM uploads WHERE started_at <= (SELECT unix_milliseconds() - $1)", .integer(age))
  }

  /// The number of objects of deleted photos that no server has tried to delete for `age` milliseconds, and of those that a
  /// server has ever tried, as `RemovedPhotos`.
  package static func removedPhotos(notTriedFor age: Int64) -> Query {
    Query(
      """
      SELECT count(*) FILTER (WHERE GREATEST(tried_at, removed_at) <= (SELECT unix_milliseconds() - $1)) AS waiting,
        count(*) FILTER (WHERE tried_at > 0) AS tried
      FROM removed_photos
      """, .integer(age))
  }

  /// The number of objects of deleted photos that wait for a server, and of those that a server has tried to delete.
  package struct RemovedPhotos: RowRecord {
    package let waiting: Int64
    package let tried: Int64

    package init(_ row: borrowing some RowReader & ~Copyable) { (waiting, tried) = (row["waiting"], row["tried"]) }
  }
}

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

  /// The users of these ids whose recorded number of notes, or of their bytes, is wrong.
  package static func wrongNoteSums(of userIDs: ClosedRange<Int64>) -> Query {
    Query(
      """
      SELECT COALESCE(sums.user_id, noted.user_id)
      FROM (SELECT * FROM note_bytes WHERE user_id BETWEEN $1 AND $2) AS noted
      FULL JOIN (
        SELECT user_id, sum(byte_count) AS byte_count, count(*) AS note_count FROM notes
        WHERE user_id BETWEEN $1 AND $2 GROUP BY user_id) AS sums ON sums.user_id = noted.user_id
      WHERE (sums.byte_count, sums.note_count) IS DISTINCT FROM (noted.byte_count, noted.note_count)
      """, .integer(userIDs.lowerBound), .integer(userIDs.upperBound))
  }

  /// The users of these ids whose recorded number of photos, or of their bytes, is wrong.
  package static func wrongPhotoSums(of userIDs: ClosedRange<Int64>) -> Query {
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
