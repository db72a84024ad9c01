import SQL

/// The table `photo_bytes`, which triggers keep.
extension PhotoStore {
  /// How much a user may still upload; nil if there is no quota.
  func room(of userID: Int64, within limits: PhotoLimits) async throws -> PhotoRoom? {
    guard limits.userQuota != nil || limits.storageQuota != nil else { return nil }
    var usedByUser: NumberRow?
    var usedByAll: NumberRow?
    if limits.userQuota != nil {
      usedByUser = try await database.first(
        Query("SELECT byte_count FROM photo_bytes WHERE user_id = $1", .integer(userID)))
    }
    if limits.storageQuota != nil {
      // A sum of integers would fail beyond 2^63, which a damaged row could bring about.
      usedByAll = try await database.first(
        Query("SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes"))
    }
    return limits.room(usedByUser: usedByUser?.value ?? 0, usedByAll: usedByAll?.value ?? 0)
  }
}
