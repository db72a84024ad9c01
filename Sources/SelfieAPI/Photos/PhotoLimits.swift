/// The limits on photos that apps upload. Imports and tests may bring in more.
package struct PhotoLimits: Sendable {
  /// Of an account.
  let maxPhotos: Int
  /// The bytes of an account's photos; nil: any number.
  let userQuota: Int64?
  /// The bytes of all photos; nil: any number.
  let storageQuota: Int64?

  /// - Throws: `Refusal.userQuota` or `.storageQuota` unless a photo of `byteCount` bytes fits, with the quota that has less room.
  func check(_ byteCount: Int64, besides used: (ofUser: Int64, ofAll: Int64)) throws(Refusal) {
    // Negative where a quota was lowered.
    let userRoom = userQuota.map { $0 &- used.ofUser } ?? .max
    let storageRoom = storageQuota.map { $0 &- used.ofAll } ?? .max
    guard byteCount > min(userRoom, storageRoom) else { return }
    throw userRoom <= storageRoom ? .userQuota(userQuota ?? 0) : .storageQuota(storageQuota ?? 0)
  }
}
