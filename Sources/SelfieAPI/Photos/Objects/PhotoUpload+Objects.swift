import Platform

/// An upload into an object store.
///
/// From before there can be an object until its row is committed, a note in the table `uploads` has its id. So whenever
/// this process ends, and whatever becomes of its requests, other processes find an object that has no row by its note.
extension PhotoUpload {
  /// Steps 2 to 5: the rest of the bytes is written to the file, the upload is noted, the object is stored, and in the
  /// transaction in which the photo gets its row, the note goes. Returns after the commit.
  func store(
    _ photo: Photo, in objects: PhotoObjects, as token: Token, within limits: PhotoLimits, turn: Turn
  ) async throws {
    defer { removeFile() }
    let (file, sha256) = try await finishFile()
    var photo = photo
    photo.sha256 = sha256
    try await library.store.noteUpload(id)
    // After an error the object may be there, or arrive later. It is found by the note.
    let outcome = try await objects.put(id, file, photo.byteCount, sha256 ?? [], turn: turn)
    room?.release()
    let upload = NotedUpload(mayArriveAgain: outcome.wasRetried)
    do {
      try await library.store.insert(photo, as: token, within: limits, ending: upload)
    } catch {
      // After any other error the row may be there.
      guard Self.isRefusal(error) else { throw error }
      try await library.store.discard(upload, of: id)
      library.deleteSoon(id, from: objects)
      if error is UploadSwept { throw APIError.busy }
      throw error
    }
  }

  /// Whether the photo has no row and will have none.
  private static func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case is TokenEnded, is AccountDisabled, is TooManyPhotos, is QuotaExceeded, is UploadSwept: true
    default: false
    }
  }
}
