import SQL

extension TokenStore {
  /// A token, and the photos of its user.
  struct PhotosOfToken: Sendable {
    let userID: Int64
    /// There are no photos then.
    let hasExpired: Bool
    /// The first photos, oldest first, with the columns that get_photos shows.
    let rows: Rows
  }

  /// The token of this digest, as `find(digest:now:)` finds it, and its user's first photos, `max` at most. Without a
  /// shared database, nil.
  ///
  /// - Throws: `AccountDisabled`.
  func findWithPhotos(digest: [UInt8], max: Int64, now: Int64) async throws -> PhotosOfToken? {
    guard let rows = try await database.shared?.read(Self.withPhotos(digest, max: max, now: now)),
      let row = rows.first
    else { return nil }
    let (expiresAt, createdAt) = (row.integer(8), row.integer(9))
    guard Swift.max(expiresAt, createdAt) > now - Self.expiredRetention else { return nil }
    guard row.isNull(6) else { throw AccountDisabled() }
    return PhotosOfToken(
      userID: row.integer(7), hasExpired: expiresAt <= now, rows: row.isNull(0) ? .none : rows)
  }

  private static func withPhotos(_ digest: [UInt8], max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT photos.id, photos.name, photos.title, photos.created_at, photos.updated_at, photos.random_id,
        users.disabled_at, tokens.user_id, tokens.expires_at, tokens.created_at
      FROM tokens JOIN users ON users.id = tokens.user_id
      LEFT JOIN LATERAL (
        SELECT id, name, title, created_at, updated_at, random_id FROM photos
        WHERE user_id = tokens.user_id AND tokens.expires_at > $1 AND users.disabled_at IS NULL
        ORDER BY id LIMIT $2
      ) AS photos ON TRUE
      WHERE tokens.digest = $3 AND tokens.is_retired = 0 ORDER BY photos.id
      """, .integer(now), .integer(max), .blob(digest))
  }
}
