/// How much the photos that apps upload may take. Imports and tests may bring in more.
package struct PhotoLimits: Sendable {
  /// Of an account.
  let maxPhotos: Int
  /// The bytes of an account's photos; nil: any number.
  let userQuota: Int64?
  /// The bytes of all photos; nil: any number.
  let storageQuota: Int64?

  /// How much an account may still upload; nil if there is no quota.
  func room(usedByUser: Int64, usedByAll: Int64) -> PhotoRoom? {
    let rooms = [
      userQuota.map { PhotoRoom(byteCount: $0 &- usedByUser, exceeded: .user($0)) },
      storageQuota.map { PhotoRoom(byteCount: $0 &- usedByAll, exceeded: .storage($0)) },
    ]
    return rooms.compactMap(\.self).min { $0.byteCount < $1.byteCount }
  }
}

/// How many bytes of photos an account may still upload.
struct PhotoRoom: Sendable {
  /// Negative where a quota was lowered.
  let byteCount: Int64
  /// Which quota has so much room and no more.
  let exceeded: QuotaExceeded

  /// - Throws: `QuotaExceeded` unless a photo of so many bytes fits.
  func check(_ byteCount: Int64) throws(QuotaExceeded) {
    guard byteCount <= self.byteCount else { throw exceeded }
  }
}

/// A photo does not fit into a quota, in bytes.
enum QuotaExceeded: Error {
  case user(Int64)
  case storage(Int64)
}

/// The account has as many photos as it may have.
struct TooManyPhotos: Error {
  let max: Int
}
