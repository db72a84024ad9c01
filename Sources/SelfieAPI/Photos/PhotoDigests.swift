/// The digests of photos, by which backups and checks find damaged files.
extension PhotoLibrary {
  /// Computes the digests of photos that were uploaded since the last call. No upload waits for this: to compute the
  /// digest of a megabyte takes as long as to receive and write it.
  ///
  /// - Parameter all: also looks again at older photos whose files were missing or had another length. A storage that has
  ///   lost a folder may have many of these.
  func noteDigests(ofAll all: Bool) async throws {
    // An object's digest is in its row from the beginning.
    guard case .files(let files) = bytes else { return }
    // Ids begin anew when the whole store is replaced.
    let newest = try await store.newestID()
    var last = all ? 0 : digested.withLock { min($0, newest) }
    while case let photos = try await store.withoutDigest(after: last), let newest = photos.last, !Task.isCancelled {
      var digested: [Photo] = []
      for photo in photos where !Task.isCancelled {
        if let photo = try await background.run({ Self.withDigest(photo, files) }) { digested.append(photo) }
      }
      try await store.setDigests(of: digested)
      last = newest.id
    }
    let seen = last
    digested.withLock { $0 = max(min($0, newest), seen) }
  }

  /// Nil if the file cannot be read or has another length than was uploaded: a digest would make it look sound.
  private static func withDigest(_ photo: Photo, _ files: PhotoFiles) -> Photo? {
    guard let status = try? files.status(photo.randomID), status.byteCount == photo.byteCount,
      let sha256 = try? files.digest(of: photo.randomID)
    else { return nil }
    var photo = photo
    photo.sha256 = sha256
    return photo
  }
}
