import SQL

extension TokenStore {
  /// The token of a request for photos.
  struct TokenWithPhotos: Sendable {
    let token: Token
    /// The first photos of the user, if they came with the token.
    var photos: Rows?
  }

  /// The token of this digest, as `find(digest:now:)` finds it. From a shared database, its user's first photos come in
  /// the same round trip, `max` at most, with the columns that get_photos shows. A file answers two queries sooner than
  /// one that joins.
  ///
  /// - Throws: `Refusal.accountDisabled`.
  @inline(__always)
  func findWithPhotos(digest: [UInt8], max: Int64, now: Int64) async throws -> TokenWithPhotos? {
    guard let shared = database.shared else {
      return try await find(digest: digest, now: now).map { TokenWithPhotos(token: $0) }
    }
    let rows = try await shared.read(Self.withPhotos(digest, max: max, now: now))
    guard let row = rows.first, let token = try Found(row, from: PhotoStore.Column.count).token(now: now) else {
      return nil
    }
    return TokenWithPhotos(token: token, photos: row.isNull(PhotoStore.Column.id) ? Rows(values: [], columns: 0) : rows)
  }

  private static func withPhotos(_ digest: [UInt8], max: Int64, now: Int64) -> Query {
    Query(
      """
      SELECT photos.id, photos.name, photos.title, photos.created_at, photos.updated_at, photos.random_id,
        tokens.*, users.disabled_at
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
