import Platform

/// Counts the bytes of unfinished uploads, for which the quotas must have room as for photos. Each process of a cluster
/// counts its own.
final class UnfinishedUploads: Sendable {
  private struct Bytes {
    var ofUsers: [Int64: Int64] = [:]
    var ofAll: Int64 = 0
  }

  private let bytes = Monitor(Bytes())

  /// Adds to the bytes of a user, unless `check` throws.
  ///
  /// - Parameter check: receives the bytes of the user and of all users before that.
  func add(
    _ byteCount: Int64, of userID: Int64, check: (_ ofUser: Int64, _ ofAll: Int64) throws -> Void
  ) rethrows {
    try bytes.withLock { bytes in
      let ofUser = bytes.ofUsers[userID, default: 0]
      try check(ofUser, bytes.ofAll)
      let sum = ofUser + byteCount
      bytes.ofUsers[userID] = sum == 0 ? nil : sum
      bytes.ofAll += byteCount
    }
  }
}

/// What the quotas have room for besides the photos that were stored when an upload began, and besides other unfinished
/// uploads. The upload's bytes count until it is released.
final class UploadRoom {
  private let userID: Int64
  private let limits: PhotoLimits
  private let stored: (ofUser: Int64, ofAll: Int64)
  private let unfinished: UnfinishedUploads
  private var byteCount: Int64 = 0

  init(
    of userID: Int64, within limits: PhotoLimits, besides stored: (ofUser: Int64, ofAll: Int64),
    and unfinished: UnfinishedUploads
  ) {
    self.userID = userID
    self.limits = limits
    self.stored = stored
    self.unfinished = unfinished
  }

  deinit { release() }

  /// - Throws: `QuotaExceeded` unless so many more bytes fit.
  func check(_ byteCount: Int64) throws { try add(0, ifThereIsRoomFor: byteCount) }

  /// Counts bytes of the upload that have arrived.
  ///
  /// - Throws: `QuotaExceeded` unless they fit.
  func take(_ byteCount: Int64) throws {
    try add(byteCount, ifThereIsRoomFor: byteCount)
    self.byteCount += byteCount
  }

  /// Forgets the bytes that have arrived.
  func release() {
    unfinished.add(-byteCount, of: userID) { _, _ in }
    byteCount = 0
  }

  private func add(_ byteCount: Int64, ifThereIsRoomFor needed: Int64) throws {
    try unfinished.add(byteCount, of: userID) { ofUser, ofAll in
      try limits.room(usedByUser: stored.ofUser &+ ofUser, usedByAll: stored.ofAll &+ ofAll)?.check(needed)
    }
  }
}
