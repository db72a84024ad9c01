import Glibc
import Platform
import SQLite
import SelfieAPI

extension StorageCheck {
  /// Checks that the file of every row exists and is the one that was uploaded.
  func checkRows(_ connection: Connection) throws {
    let dropsMissing = try mayDropMissing()
    var last: Int64 = 0
    while case let page = try PhotoStore.page(after: last, on: connection), let newest = page.last {
      var digested: [Photo] = []
      var lost: [String] = []
      for photo in page {
        counts.photos += 1
        attempt {
          switch try condition(of: photo, dropsMissing, connection) {
          case .sound: break
          case .missing: lost.append(photo.randomID)
          case .digest(let sha256):
            var photo = photo
            photo.sha256 = sha256
            digested.append(photo)
          }
        }
      }
      if options.repairs {
        if dropsMissing { try PhotoStore.remove(lost, on: connection) }
        if !digested.isEmpty { try connection.transaction { try connection.setDigests(of: digested) } }
      }
      last = newest.id
    }
  }

  /// If not a single file is there, it is probably the photos' disk that is missing.
  private func mayDropMissing() throws -> Bool {
    guard options.repairs && options.dropsMissing else { return false }
    if try files.names().isEmpty { throw NoPhotos(path: files.layout.photos) }
    return true
  }

  private struct NoPhotos: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is empty. Is its disk there? The rows of its photos were left alone." }
  }

  private enum Condition {
    case sound
    case missing
    /// The file has the right size, and this is the digest that its row lacks.
    case digest([UInt8])
  }

  private func condition(
    of photo: Photo, _ dropsMissing: Bool, _ connection: Connection
  ) throws -> Condition {
    let path = StorageLayout.photo(photo.randomID)
    guard let status = try files.status(photo.randomID) else {
      // A deletion removes the row first. So a photo that still has a row has lost its file.
      guard try PhotoStore.exists(randomID: photo.randomID, on: connection) else { return .sound }
      found(
        .missingFile, path,
        dropsMissing
          ? "the file of a photo was missing; its row is deleted"
          : "the file of a photo is missing. Put it back from a backup, or delete its row with --repair --drop-missing.",
        isRepaired: dropsMissing)
      return .missing
    }
    guard status.kind == .file else {
      found(.wrongKind, path, "it is no plain file, so it is not served. Put the photo back from a backup.")
      return .sound
    }
    guard status.byteCount == photo.byteCount else {
      found(
        .wrongSize, path,
        "it has \(counted(status.byteCount, "byte")), and \(photo.byteCount) were uploaded. Put it back from a backup.")
      return .sound
    }
    guard let sha256 = photo.sha256 else {
      if options.repairs, let digest = try digest(of: photo) { return .digest(digest) }
      counts.photosWithoutDigest += 1
      return .sound
    }
    // It may have been deleted while the other photos of its page were checked.
    if options.readsPhotos, let digest = try digest(of: photo), digest != sha256 {
      found(.wrongDigest, path, "its bytes are not those that were uploaded. Put it back from a backup.")
    }
    return .sound
  }

  private func digest(of photo: Photo) throws -> [UInt8]? {
    let digest = try files.digest(of: photo.randomID)
    if digest != nil { counts.digests += 1 }
    return digest
  }

  /// Checks that the file of every deleted photo is gone.
  func checkRemoved(_ connection: Connection) throws {
    var last = ""
    while case let page = try PhotoStore.removed(after: last, on: connection), let newest = page.last {
      var present: [String] = []
      for id in page where try files.status(id) != nil { present.append(id) }
      if options.repairs {
        let (gone, failure) = files.removeDurably(page)
        try connection.transaction { try connection.forgetRemoved(gone) }
        if let failure { attempt { throw failure } }
        let isGone = Set(gone)
        for id in present { foundRemoved(id, isRepaired: isGone.contains(id)) }
      } else {
        // A server removes the file right after the row, so it gets a moment to do that.
        if !present.isEmpty && isServed() { sleep(options.recheckDelay) }
        for id in present where try files.status(id) != nil && PhotoStore.isRemoved(id, on: connection) {
          foundRemoved(id, isRepaired: false)
        }
      }
      last = newest
    }
  }

  private func foundRemoved(_ id: String, isRepaired: Bool) {
    found(
      .removalPending, StorageLayout.photo(id),
      isRepaired
        ? "the file of a deleted photo was still there; it is removed"
        : "the photo is deleted, but its file is still there. A running server tries every ten minutes; so does --repair.",
      isRepaired: isRepaired)
  }
}
