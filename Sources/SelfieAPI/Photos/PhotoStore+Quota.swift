import SQL

/// The table `photo_bytes`, which triggers keep.
extension PhotoStore {
  /// The bytes of a user's photos, and of all photos where they have a quota; nil if there is no quota.
  func byteCounts(of userID: Int64, within limits: PhotoLimits) async throws -> (ofUser: Int64, ofAll: Int64)? {
    guard let query = Self.byteCounts(of: userID, within: limits) else { return nil }
    let used = try await database.first(query, as: NumberPair.self)
    return (used?.first ?? 0, used?.second ?? 0)
  }

  /// One statement, since each is a round trip where the database is shared. A sum of integers would fail beyond 2^63,
  /// which a damaged row could bring about.
  fileprivate static func byteCounts(of userID: Int64, within limits: PhotoLimits) -> Query? {
    guard limits.userQuota != nil || limits.storageQuota != nil else { return nil }
    return Query(
      """
      SELECT (SELECT byte_count FROM photo_bytes WHERE user_id = $1),
        CASE WHEN $2 = 0 THEN 0
          ELSE (SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes) END
      """, .integer(userID), limits.storageQuota == nil ? 0 : 1)
  }
}

extension Transaction {
  /// How much a user may still upload; nil if there is no quota.
  func room(of userID: Int64, within limits: PhotoLimits) throws -> PhotoRoom? {
    guard let query = PhotoStore.byteCounts(of: userID, within: limits) else { return nil }
    let used = try first(query, as: NumberPair.self)
    return limits.room(usedByUser: used?.first ?? 0, usedByAll: used?.second ?? 0)
  }
}
