import SQL

/// What a check of a cluster asks its database.
package enum ClusterQueries {
  /// The steps of the schema that the database has had, as name and digest.
  package static let migrations = Query("SELECT name, sha256 FROM schema_migrations ORDER BY name")

  /// The settings that must be on for a commit to be on a disk, as name and value.
  package static let durability = Query(
    """
    SELECT name, setting FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name
    """)

  /// How many uploads have begun so many milliseconds ago or earlier, and have not ended.
  package static func uploads(olderThan age: Int64) -> Query {
    Query("SELECT count(*) FROM uploads WHERE started_at <= (SELECT unix_milliseconds() - $1)", .integer(age))
  }

  /// How many objects of deleted photos were tried to be deleted, but not for so many milliseconds.
  package static func removedPhotos(notTriedFor age: Int64) -> Query {
    Query(
      """
      SELECT count(*) FROM removed_photos
      WHERE tried_at > 0 AND tried_at <= (SELECT unix_milliseconds() - $1)
      """, .integer(age))
  }

  /// How many users' photos have another number of bytes than is noted.
  package static let wrongSums = Query(
    """
    SELECT count(*) FROM photo_bytes
    FULL JOIN (SELECT user_id, CAST(sum(byte_count) AS bigint) AS byte_count FROM photos GROUP BY user_id) AS sums
      ON sums.user_id = photo_bytes.user_id
    WHERE COALESCE(sums.byte_count, 0) <> COALESCE(photo_bytes.byte_count, 0)
    """)
}

/// Two texts; NULL is empty.
package struct TextPair: Sendable, RowRecord {
  package let first: String
  package let second: String

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    self.first = row.text(first) ?? ""
    second = row.text(first + 1) ?? ""
  }
}
