import SQL

/// The table `photo_bytes`, which triggers keep.
extension PhotoStore {
  /// The bytes of a user's photos, and of all photos where they have a quota; nil if there is no quota.
  func byteCounts(of userID: Int64, within limits: PhotoLimits) async throws -> (ofUser: Int64, ofAll: Int64)? {
    guard limits.userQuota != nil || limits.storageQuota != nil else { return nil }
    // One statement, since each is a round trip where the database is shared. A sum of integers would fail beyond 2^63,
    // which a damaged row could bring about.
    let used = try await database.first(
      Query(
        """
        SELECT (SELECT byte_count FROM photo_bytes WHERE user_id = $1),
          CASE WHEN $2 = 0 THEN 0
            ELSE (SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes) END
        """, .integer(userID), limits.storageQuota == nil ? 0 : 1), as: NumberPair.self)
    return (used?.first ?? 0, used?.second ?? 0)
  }
}
