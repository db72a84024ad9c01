import Logging
import Platform

/// The row goes first: its transaction notes, in `removed_photos`, which file or object has to go, so that no crash leaves
/// one that nobody would remove.
extension PhotoLibrary {
  /// Deletes a photo of a token's user; false if there is none. Once its row is deleted, nobody can see the photo: a file
  /// or an object that cannot be removed now is left to ``purgeDeleted()``.
  ///
  /// - Throws: `TokenEnded` if the token does not live any more.
  func delete(randomID id: String, as token: Token) async throws -> Bool {
    try await delete(id) { try await store.remove(randomID: id, as: token) }
  }

  /// The same for a photo of any user.
  package func delete(randomID id: String) async throws -> Bool {
    try await delete(id) { try await store.remove(randomID: id) }
  }

  private func delete(_ id: String, removeRow: () async throws -> Bool) async throws -> Bool {
    try await lock.withShared {
      guard try await removeRow() else { return false }
      switch bytes {
      case .files(let files): await removeFile(of: id, files)
      case .objects(let objects): deleteSoon(id, from: objects)
      }
      return true
    }
  }

  private func removeFile(of id: String, _ files: PhotoFiles) async {
    do {
      try await pool.run { try files.remove(id) }
    } catch {
      logger.warning("the file of a deleted photo stays for now", metadata: ["error": "\(Self.loggable(error))"])
    }
  }

  /// Removes the files or objects of deleted photos that are still there, and forgets these photos. To be called from
  /// time to time.
  package func purgeDeleted() async throws {
    try await lock.withShared { try await purgeDeletedLocked() }
  }

  /// The same for a caller that holds the lock.
  package func purgeDeletedLocked() async throws {
    switch bytes {
    case .files(let files): try await purge(files)
    case .objects(let objects): try await purge(objects)
    }
  }

  private func purge(_ files: PhotoFiles) async throws {
    var last = ""
    while case let ids = try await store.removed(after: last), let newest = ids.last {
      let (gone, failure) = try await pool.run { files.removeDurably(ids) }
      if let failure {
        logger.warning(
          "files of deleted photos stay for now",
          metadata: ["count": "\(ids.count - gone.count)", "error": "\(Self.loggable(failure))"])
      }
      try await store.forgetRemoved(gone)
      last = newest
    }
  }

  /// Sets aside again what deletions have used of the disk's reserve, if there is room.
  func renewReserve() async throws {
    guard let reserve, !reserve.isWhole else { return }
    try await background.run { reserve.renew() }
  }

  /// An error without the path, which ends in the photo's id.
  private static func loggable(_ error: any Error) -> String {
    (error as? FileError)?.withoutPath ?? "\(error)"
  }
}
