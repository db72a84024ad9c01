import SQL

/// The writes of clients, which need a token that is live when they are written.
extension PhotoStore {
  /// Inserts a photo if the token with which it was uploaded is still live and the limits have room for it. Two uploads
  /// at once cannot exceed a limit together.
  ///
  /// - Parameter upload: the note of the upload that ends, where the bytes are an object.
  /// - Throws: `TokenEnded`, `AccountDisabled`, `TooManyPhotos`, `QuotaExceeded`; `UploadSwept` if the note is gone.
  func insert(
    _ photo: Photo, as token: Token, within limits: PhotoLimits, ending upload: NotedUpload? = nil
  ) async throws {
    let isInserted = try await database.write(
      about: limits.storageQuota == nil ? .user(token.userID) : .userAndStorage(token.userID)
    ) { tx in
      try tx.requireLive(token)
      guard try tx.number(Self.count(of: token.userID)) < limits.maxPhotos else {
        throw TooManyPhotos(max: limits.maxPhotos)
      }
      try tx.room(of: token.userID, within: limits)?.check(photo.byteCount)
      guard try upload.map({ try tx.end($0, of: photo.randomID) }) ?? true else { return false }
      try tx.insert(photo)
      return true
    }
    guard isInserted else { throw UploadSwept() }
  }

  /// Deletes a photo of a token's user, if the token is still live; false when there is none. Its file is among the
  /// removed ones from then on.
  ///
  /// - Throws: `TokenEnded`, `AccountDisabled`.
  func remove(randomID: String, as token: Token) async throws -> Bool {
    try await database.write(about: .user(token.userID), makesRoom: true) { tx in
      try tx.requireLive(token)
      return try tx.run(
        Query(
          "DELETE FROM photos WHERE random_id = $1 AND user_id = $2", .text(randomID), .integer(token.userID))) > 0
    }
  }
}

/// The account has as many photos as it may have.
struct TooManyPhotos: Error {
  let max: Int
}

/// An upload whose object was stored.
struct NotedUpload: Sendable {
  /// Whether a request that seemed lost may store the object once more, even after it was deleted. Then the note stays
  /// for the next sweep.
  let mayArriveAgain: Bool
}

/// The note of an upload was gone, so its photo was not stored.
struct UploadSwept: Error {}
