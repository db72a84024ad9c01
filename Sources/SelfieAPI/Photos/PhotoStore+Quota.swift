import SQLite

/// The table `photo_bytes`, which triggers keep.
extension PhotoStore {
  /// How much a user may still upload; nil if there is no quota.
  func room(of userID: Int64, within limits: PhotoLimits) throws -> PhotoRoom? {
    guard limits.userQuota != nil || limits.storageQuota != nil else { return nil }
    return try database.read { try Self.room(of: userID, within: limits, on: $0) }
  }

  static func room(
    of userID: Int64, within limits: PhotoLimits, on connection: Connection
  ) throws -> PhotoRoom? {
    var rooms: [PhotoRoom] = []
    if let quota = limits.userQuota {
      let used = try connection.first("SELECT byte_count FROM photo_bytes WHERE user_id = $1", .integer(userID)) {
        $0.integer(0)
      }
      rooms.append(PhotoRoom(byteCount: quota &- (used ?? 0), exceeded: .user(quota)))
    }
    if let quota = limits.storageQuota {
      // A sum of integers would fail beyond 2^63, which a damaged row could bring about.
      let used = try connection.first(
        "SELECT CAST(sum(CAST(byte_count AS double precision)) AS bigint) FROM photo_bytes"
      ) { $0.integer(0) }
      rooms.append(PhotoRoom(byteCount: quota &- (used ?? 0), exceeded: .storage(quota)))
    }
    return rooms.min { $0.byteCount < $1.byteCount }
  }
}
