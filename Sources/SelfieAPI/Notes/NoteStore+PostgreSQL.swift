import SQL

extension NoteStore {
  /// What changes a note in a shared database: PostgreSQL has no BLOB, and SQLite no `octet_length` before 3.43.
  ///
  /// - Parameter values: as in a file.
  static func sharedChange(_ values: [Value]) -> Query {
    Query(
      """
      UPDATE notes SET title = COALESCE($1, title), body = COALESCE($2, body), updated_at = $3,
        byte_count = octet_length(COALESCE($1, title)) + octet_length(COALESCE($2, body))
      WHERE id = $4 AND user_id = $5 AND EXISTS (SELECT 1 FROM users WHERE id = $5 AND password_hash = $6)
        AND (SELECT count(*) <= $7 AND CAST(sum(mine.byte_count) AS bigint) - notes.byte_count
            + octet_length(COALESCE($1, notes.title)) + octet_length(COALESCE($2, notes.body)) <= $8
          FROM notes AS mine WHERE mine.user_id = $5)
      RETURNING id
      """, values: values)
  }

  /// Lets a note count for the bytes that it has.
  package static func sharedByteCountCorrection(of id: Int64) -> Write {
    Write(
      lock: nil,
      [
        Query("UPDATE notes SET byte_count = octet_length(title) + octet_length(body) WHERE id = $1", .integer(id))
      ])
  }
}
