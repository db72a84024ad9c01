import Platform
import SQL

// The limits on photos, and the room that is used. `APISettings` has the limit of one photo's size.

/// The limits on photos that apps upload. An import may bring in more.
package struct PhotoLimits: Sendable {
  /// Of an account.
  let maxPhotos: Int
  /// The bytes of an account's photos; nil: any number.
  let userQuota: Int64?
  /// The bytes of all photos; nil: any number.
  let storageQuota: Int64?

  /// - Throws: `Refusal.userQuota` or `.storageQuota` unless a photo of `byteCount` bytes fits, with the quota that has less room.
  func check(_ byteCount: Int64, besides used: UsedBytes) throws(Refusal) {
    // Negative where a quota was lowered.
    let userRoom = userQuota.map { $0 &- used.ofUser } ?? .max
    let storageRoom = storageQuota.map { $0 &- used.ofAll } ?? .max
    guard byteCount > min(userRoom, storageRoom) else { return }
    throw userRoom <= storageRoom ? .userQuota(userQuota ?? 0) : .storageQuota(storageQuota ?? 0)
  }
}

/// The bytes of a user's photos, and of all photos where they have a quota.
struct UsedBytes: Sendable {
  var ofUser: Int64 = 0
  var ofAll: Int64 = 0
}

extension UsedBytes: RowRecord {
  init(_ row: borrowing some RowReader & ~Copyable) { self.init(ofUser: row["of_user"], ofAll: row["of_all"]) }
}

/// The room that quotas leave an upload, after the photos that were stored when it began and other unfinished uploads.
/// The upload's bytes count until it is released.
final class UploadRoom {
  /// The bytes of unfinished uploads by the user's id, and at nil those of all users. The quotas must have room for them
  /// as for photos. Each process of a cluster counts its own.
  typealias Unfinished = Monitor<[Int64?: Int64]>

  private let userID: Int64
  private let limits: PhotoLimits
  private let stored: UsedBytes
  private let unfinished: Unfinished
  private var byteCount: Int64 = 0

  init(of userID: Int64, within limits: PhotoLimits, besides stored: UsedBytes, and unfinished: Unfinished) {
    self.userID = userID
    self.limits = limits
    self.stored = stored
    self.unfinished = unfinished
  }

  deinit { release() }

  /// - Throws: `Refusal.userQuota` or `.storageQuota` unless this many more bytes fit.
  func check(_ byteCount: Int64) throws { try add(0, ifThereIsRoomFor: byteCount) }

  /// Counts bytes of the upload that have arrived.
  ///
  /// - Throws: `Refusal.userQuota` or `.storageQuota` unless they fit.
  func take(_ byteCount: Int64) throws { try add(byteCount, ifThereIsRoomFor: byteCount) }

  /// Forgets the bytes that have arrived.
  func release() { unfinished.withLock { add(-byteCount, to: &$0) } }

  private func add(_ count: Int64, ifThereIsRoomFor needed: Int64) throws {
    try unfinished.withLock { bytes in
      let (ofUser, ofAll) = (stored.ofUser &+ (bytes[userID] ?? 0), stored.ofAll &+ (bytes[nil] ?? 0))
      try limits.check(needed, besides: UsedBytes(ofUser: ofUser, ofAll: ofAll))
      add(count, to: &bytes)
    }
  }

  private func add(_ count: Int64, to bytes: inout [Int64?: Int64]) {
    byteCount += count
    for key in [userID, nil] {
      let sum = (bytes[key] ?? 0) + count
      bytes[key] = sum == 0 ? nil : sum
    }
  }
}
