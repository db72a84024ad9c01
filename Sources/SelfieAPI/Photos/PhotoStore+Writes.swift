import SQL

/// The writes of clients, which need a token that still lives when they are written.
extension PhotoStore {
  /// Inserts a photo if the token with which it was uploaded still lives and the limits have room for it. Two uploads
  /// at once cannot exceed a limit together.
  ///
  /// - Parameter wasRetried: whether the photo's object may be stored once more.
  /// - Throws: `TokenEnded`, `AccountDisabled`, `TooManyPhotos`, `QuotaExceeded`; `PhotoRefused` if the upload's note is
  ///   gone.
  func insert(_ photo: Photo, as token: Token, within limits: PhotoLimits, wasRetried: Bool = false) async throws {
    let written = try await database.run(
      Self.insertion(of: photo, as: token, within: limits, wasRetried: wasRetried))
    guard !written.isDone else { return }
    let reason = try TokenStore.requireLiving(in: written.reason)
    guard reason.integer(2) < limits.maxPhotos else { throw TooManyPhotos(max: limits.maxPhotos) }
    try limits.room(usedByUser: reason.integer(3), usedByAll: reason.integer(4))?.check(photo.byteCount)
    throw PhotoRefused()
  }

  static func insertion(
    of photo: Photo, as token: Token, within limits: PhotoLimits, wasRetried: Bool = false
  ) -> Write {
    let userRoom = limits.userQuota.map { $0 - photo.byteCount } ?? .max
    let storageRoom = limits.storageQuota.map { $0 - photo.byteCount }
    let values: [Value] = [
      .text(photo.randomID), .text(orNull: photo.name), .text(photo.title), .integer(photo.byteCount),
      .text(photo.contentType), .integer(photo.createdAt), .integer(photo.updatedAt), .blob(orNull: photo.sha256),
      .integer(token.userID), .blob(token.digest), .integer(Int64(limits.maxPhotos)), .integer(userRoom),
      .integer(orNull: storageRoom),
    ]
    return Write(
      lock: .user(token.userID), isAboutAllStorage: limits.storageQuota != nil,
      decisive: Query(
        """
        INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
        SELECT $1, users.id, $2, $3, $4, $5, $6, $7, $8 FROM users
        WHERE users.id = $9 AND users.disabled_at IS NULL
          AND (EXISTS (SELECT 1 FROM tokens WHERE digest = $10 AND user_id = users.id)
            OR EXISTS (
              SELECT 1 FROM retired_tokens WHERE digest = $10 AND user_id = users.id AND refreshed_at IS NOT NULL))
          AND (SELECT count(*) FROM photos WHERE user_id = users.id) < $11
          AND COALESCE((SELECT byte_count FROM photo_bytes WHERE user_id = users.id), 0) <= $12
          AND (CAST($13 AS bigint) IS NULL
            OR COALESCE((SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes), 0) <= $13)
        RETURNING id
        """, values: values),
      sharedDecisive: sharedInsertion(values), sharedThen: sharedEnd(ofUpload: photo.randomID, wasRetried: wasRetried),
      reason: Query(
        """
        SELECT users.disabled_at,
          (SELECT count(*) FROM tokens WHERE digest = $1 AND user_id = users.id)
            + (SELECT count(*) FROM retired_tokens
               WHERE digest = $1 AND user_id = users.id AND refreshed_at IS NOT NULL),
          (SELECT count(*) FROM photos WHERE user_id = users.id),
          (SELECT byte_count FROM photo_bytes WHERE user_id = users.id),
          CASE WHEN CAST($2 AS bigint) IS NULL THEN 0
            ELSE (SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes) END
        FROM users WHERE id = $3
        """, .blob(token.digest), .integer(orNull: storageRoom), .integer(token.userID)),
      evidence: Query("SELECT id FROM photos WHERE random_id = $1", .text(photo.randomID)))
  }

  /// Deletes a photo of a token's user, if the token still lives; false when there is none. Its file is among the
  /// removed ones from then on.
  ///
  /// - Throws: `TokenEnded`, `AccountDisabled`.
  func remove(randomID: String, as token: Token) async throws -> Bool {
    let written = try await database.run(Self.removal(of: randomID, as: token))
    guard !written.isDone else { return true }
    try TokenStore.requireLiving(in: written.reason)
    return false
  }

  static func removal(of randomID: String, as token: Token) -> Write {
    Write(
      lock: .user(token.userID), makesRoom: true,
      decisive: Query(
        """
        DELETE FROM photos WHERE random_id = $1 AND user_id = $2
          AND EXISTS (SELECT 1 FROM users WHERE id = $2 AND disabled_at IS NULL)
          AND (EXISTS (SELECT 1 FROM tokens WHERE digest = $3 AND user_id = $2)
            OR EXISTS (SELECT 1 FROM retired_tokens WHERE digest = $3 AND user_id = $2 AND refreshed_at IS NOT NULL))
        RETURNING 1
        """, .text(randomID), .integer(token.userID), .blob(token.digest)),
      reason: TokenStore.life(of: token),
      evidence: Query("SELECT 1 FROM removed_photos WHERE random_id = $1", .text(randomID)))
  }
}

/// The account has as many photos as it may have.
struct TooManyPhotos: Error {
  let max: Int
}

/// A photo was not stored, and nothing in the rows tells why.
struct PhotoRefused: Error {}
