import SQL

// The queries about photos that only a cluster has. In a shared database, photos' bytes are objects, which no
// transaction covers. So at each commit, an object that may be there has a row in `photos`, a note in `uploads` or an
// entry in `removed_photos`, by which it is found. PhotoStore.swift has the queries that both kinds of databases share.
extension PhotoStore {
  // MARK: - Uploads

  /// Ends an upload that was refused. Its object is to be deleted.
  ///
  /// - Parameter mayArriveAgain: whether a request that seemed lost may store the object once more, even after it was
  ///   deleted. Then the note stays for the next sweep.
  func discard(_ id: String, mayArriveAgain: Bool) async throws {
    try await database.write(about: .all) { tx in
      try tx.run(
        Query("INSERT INTO removed_photos (random_id) VALUES ($1) ON CONFLICT (random_id) DO NOTHING", .text(id)))
      if !mayArriveAgain { try tx.forgetUploads([id]) }
    }
  }

  // MARK: - Sweeps

  /// Takes notes that are older than any upload can be under way, a thousand at most. Their objects are to be deleted,
  /// unless they have a row.
  ///
  /// - Returns: how many there were.
  func sweepUploads(startedBefore milliseconds: Int64) async throws -> Int64 {
    // Other processes pass over the rows that one has locked. An array is evaluated once.
    let sweep = Query(
      """
      WITH old AS (DELETE FROM uploads WHERE random_id = ANY (ARRAY(
          SELECT random_id FROM uploads WHERE started_at <= (SELECT unix_milliseconds() - $1)
          ORDER BY started_at LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING random_id),
        removed AS (INSERT INTO removed_photos (random_id)
          SELECT random_id FROM old WHERE NOT EXISTS (SELECT 1 FROM photos WHERE photos.random_id = old.random_id)
          ON CONFLICT (random_id) DO NOTHING)
      SELECT count(*) FROM old
      """, .integer(milliseconds))
    return try await database.write(about: .all) { try $0.number(sweep) }
  }

  /// The ids of removed photos whose objects the caller is to delete, a hundred at most: those whose last try
  /// was longest ago. No process gets them again for this many milliseconds.
  func claimRemoved(for milliseconds: Int64) async throws -> [String] {
    let claim = Query(
      """
      UPDATE removed_photos SET tried_at = unix_milliseconds() WHERE random_id = ANY (ARRAY(
        SELECT random_id FROM removed_photos WHERE tried_at <= (SELECT unix_milliseconds() - $1)
        ORDER BY tried_at LIMIT 100 FOR UPDATE SKIP LOCKED)) RETURNING random_id
      """, .integer(milliseconds))
    return try await database.write(about: .all) { try $0.rows(claim).compactMap { $0.text(0) } }
  }

  // MARK: - Sums

  /// Counts a user's photos and their bytes anew.
  package static func correctSum(of userID: Int64, in database: ApplicationDatabase) async throws {
    try await database.write(about: .user(userID)) { tx in
      // Uploads wait for the lock of the user, and deletions for those of the photos.
      _ = try tx.rows(
        Query(
          "SELECT count(*) FROM (SELECT 1 FROM photos WHERE user_id = $1 ORDER BY id FOR SHARE) AS photos",
          .integer(userID)))
      try tx.run(
        Query(
          """
          INSERT INTO photo_bytes (user_id, byte_count, photo_count)
          SELECT user_id, sum(byte_count), count(*) FROM photos WHERE user_id = $1 GROUP BY user_id
          ON CONFLICT (user_id) DO UPDATE SET byte_count = excluded.byte_count, photo_count = excluded.photo_count
          """, .integer(userID)))
      try tx.run(
        Query(
          """
          DELETE FROM photo_bytes
          WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM photos WHERE user_id = $1)
          """, .integer(userID)))
    }
  }

  fileprivate static func uploadRemoval(of id: String) -> Query {
    Query("DELETE FROM uploads WHERE random_id = $1", .text(id))
  }
}

extension Transaction {
  /// Notes uploads, so that their objects are found if this process ends before they have rows. To be called before
  /// there can be objects.
  package func noteUploads(_ ids: [String]) throws {
    try run(
      ids.map { id in
        Query(
          """
          INSERT INTO uploads (random_id, started_at) VALUES ($1, unix_milliseconds())
          ON CONFLICT (random_id) DO UPDATE SET started_at = excluded.started_at
          """, .text(id))
      })
  }

  /// Ends uploads whose photos have rows.
  package func forgetUploads(_ ids: [String]) throws { try run(ids.map(PhotoStore.uploadRemoval)) }

  /// Ends the upload of a photo that is about to be inserted.
  ///
  /// - Returns: false if its note was swept, because this process has stood still for so long. The object may be deleted
  ///   or not, so there must be no photo, and the object is noted again.
  func endUpload(of id: String, mayArriveAgain: Bool) throws -> Bool {
    let isNoted = try run(PhotoStore.uploadRemoval(of: id)) > 0
    if !isNoted || mayArriveAgain { try noteUploads([id]) }
    return isNoted
  }
}
