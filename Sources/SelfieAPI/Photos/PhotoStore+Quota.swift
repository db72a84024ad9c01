import SQLite

/// The table `photo_bytes`, which triggers keep.
extension PhotoStore {
  /// How much a user may still upload; nil if there is no quota.
  func room(of userID: Int64, within limits: PhotoLimits) async throws -> PhotoRoom? {
    guard limits.userQuota != nil || limits.storageQuota != nil else { return nil }
    return try database.read { connection in
      var usedByUser: Int64?
      var usedByAll: Int64?
      if limits.userQuota != nil {
        usedByUser = try connection.first("SELECT byte_count FROM photo_bytes WHERE user_id = $1", .integer(userID)) {
          $0.integer(0)
        }
      }
      if limits.storageQuota != nil {
        // A sum of integers would fail beyond 2^63, which a damaged row could bring about.
        usedByAll = try connection.first(
          "SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes"
        ) { $0.integer(0) }
      }
      return limits.room(usedByUser: usedByUser ?? 0, usedByAll: usedByAll ?? 0)
    }
  }
}
