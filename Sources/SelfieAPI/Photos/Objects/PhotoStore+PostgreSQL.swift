import SQL

// In a shared database, photos' bytes are objects, which no transaction covers. So at each commit, an object that may be
// there has a row in `photos`, a note in `uploads` or an entry in `removed_photos`, by which it is found.
extension PhotoStore {
  // MARK: - Uploads

  /// Notes an upload. To be called before its object can be there.
  func noteUpload(_ id: String) async throws {
    try await database.run(Write(lock: nil, [Self.noting(id)]))
  }

  package static func noting(_ id: String) -> Query {
    Query(
      "INSERT INTO uploads (random_id, started_at) VALUES ($1, unix_milliseconds()) ON CONFLICT DO NOTHING", .text(id))
  }

  /// Ends an upload whose photo has a row by itself, as one that was moved.
  package static func forgettingUpload(_ id: String) -> Query {
    Query("DELETE FROM uploads WHERE random_id = $1", .text(id))
  }

  /// Inserts a photo in place of its upload's note. If that has been swept, there is no photo: its object may be gone.
  ///
  /// - Parameter values: as in a file.
  static func sharedInsertion(_ values: [Value]) -> Query {
    Query(
      """
      WITH noted AS (DELETE FROM uploads WHERE random_id = $1 RETURNING random_id)
      INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
      SELECT noted.random_id, users.id, $2, $3, $4, $5, $6, $7, $8 FROM noted CROSS JOIN users
      WHERE users.id = $9 AND users.disabled_at IS NULL
        AND (EXISTS (SELECT 1 FROM tokens WHERE digest = $10 AND user_id = users.id)
          OR EXISTS (
            SELECT 1 FROM retired_tokens WHERE digest = $10 AND user_id = users.id AND refreshed_at IS NOT NULL))
        AND (SELECT count(*) FROM photos WHERE user_id = users.id) < $11
        AND COALESCE((SELECT byte_count FROM photo_bytes WHERE user_id = users.id), 0) <= $12
        AND (CAST($13 AS bigint) IS NULL
          OR COALESCE((SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes), 0) <= $13)
      RETURNING id
      """, values: values)
  }

  /// What follows ``sharedInsertion(_:)``: the object of a photo that was refused is to be deleted.
  ///
  /// - Parameter wasRetried: whether the object may be stored once more, even after it was deleted. It is noted again
  ///   then, so that ``sweepUploads(startedBefore:)`` looks at it when that is over.
  static func sharedEnd(ofUpload id: String, wasRetried: Bool) -> [Query] {
    let removal = Query(
      """
      INSERT INTO removed_photos (random_id)
      SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM photos WHERE random_id = $1) ON CONFLICT (random_id) DO NOTHING
      """, .text(id))
    return wasRetried ? [removal, noting(id)] : [removal]
  }

  // MARK: - Sweeps

  /// Takes notes that are older than any upload can be under way, a thousand at most. Their objects are to be deleted,
  /// unless they have a row.
  ///
  /// - Returns: how many there were.
  func sweepUploads(startedBefore milliseconds: Int64) async throws -> Int64 {
    // Other processes pass over the rows that one has locked. What is in an array is evaluated once.
    try await database.run(
      Write(
        lock: nil,
        decisive: Query(
          """
          WITH old AS (DELETE FROM uploads WHERE random_id = ANY (ARRAY(
              SELECT random_id FROM uploads WHERE started_at <= (SELECT unix_milliseconds() - $1)
              ORDER BY started_at LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING random_id),
            removed AS (INSERT INTO removed_photos (random_id)
              SELECT random_id FROM old WHERE NOT EXISTS (SELECT 1 FROM photos WHERE photos.random_id = old.random_id)
              ON CONFLICT (random_id) DO NOTHING)
          SELECT count(*) FROM old
          """, .integer(milliseconds)))
    ).first?.integer(0) ?? 0
  }

  /// The ids of removed photos whose objects the caller is to delete, a hundred at most: those that nobody has tried to
  /// delete for longest. For so many milliseconds, no process gets them again.
  func claimRemoved(for milliseconds: Int64) async throws -> [String] {
    let claimed = try await database.run(
      Write(
        lock: nil,
        decisive: Query(
          """
          UPDATE removed_photos SET tried_at = unix_milliseconds() WHERE random_id = ANY (ARRAY(
            SELECT random_id FROM removed_photos WHERE tried_at <= (SELECT unix_milliseconds() - $1)
            ORDER BY tried_at LIMIT 100 FOR UPDATE SKIP LOCKED)) RETURNING random_id
          """, .integer(milliseconds)))
    ).decisive
    return claimed?.compactMap { $0.text(0) } ?? []
  }

  // MARK: - Sums

  /// Lets a user's photos count for the bytes that they have.
  package static func sumCorrection(of userID: Int64) -> Write {
    Write(
      // Uploads take the lock of the user, and deletions lock the user's row of photo_bytes. If there is no such row, a
      // photo that the owner deletes in the same instant still counts.
      lock: .user(userID),
      [
        Query("SELECT byte_count FROM photo_bytes WHERE user_id = $1 FOR UPDATE", .integer(userID)),
        Query(
          """
          INSERT INTO photo_bytes (user_id, byte_count)
          SELECT user_id, CAST(sum(byte_count) AS bigint) FROM photos WHERE user_id = $1 GROUP BY user_id
          ON CONFLICT (user_id) DO UPDATE SET byte_count = excluded.byte_count
          """, .integer(userID)),
        Query(
          """
          DELETE FROM photo_bytes
          WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM photos WHERE user_id = $1)
          """, .integer(userID)),
      ])
  }
}
