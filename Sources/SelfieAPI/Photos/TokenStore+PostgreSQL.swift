import SQL

extension TokenStore {
  /// The token of a request for photos.
  struct TokenWithPhotos: Sendable {
    let userID: Int64
    let isLive: Bool
    /// The first photos of the user, if they came with the token.
    var photos: Rows?
  }

  /// The token of this digest, as `find(digest:now:)` finds it, and its user's first photos, `max` at most, with the
  /// columns that get_photos shows. Without a shared database, nil.
  ///
  /// - Throws: `AccountDisabled`.
  func findWithPhotos(digest: [UInt8], max: Int64, now: Int64) async throws -> TokenWithPhotos? {
    guard let rows = try await database.shared?.read(Self.withPhotos(digest, max: max, now: now)),
      let row = rows.first
    else { return nil }
    let (expiresAt, createdAt) = (row.integer(Column.expiresAt), row.integer(Column.createdAt))
    guard Swift.max(expiresAt, createdAt) > now - Self.expiredRetention else { return nil }
    guard row.isNull(Column.disabledAt) else { throw AccountDisabled() }
    return TokenWithPhotos(
      userID: row.integer(Column.userID), isLive: expiresAt > now,
      photos: row.isNull(PhotoStore.Column.id) ? Rows.none : rows)
  }

  /// The columns after those of `PhotoStore.Column`.
  private enum Column {
    static let disabledAt: Int32 = 6
    static let userID: Int32 = 7
    static let expiresAt: Int32 = 8
    static let createdAt: Int32 = 9
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
