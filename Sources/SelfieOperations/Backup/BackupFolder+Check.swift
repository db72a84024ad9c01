import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

// What the owner asks of a folder of backups: a list, a check of everything, and the removal of a moment.

extension BackupFolder {
  /// How much a check has read.
  package struct CheckedContents: Sendable {
    package let moments: Int
    /// Those of the pool that are whole, and their bytes.
    package let photos: Int
    package let bytes: Int64
  }

  /// Reads every photo of the pool once, and every moment's database. It changes nothing.
  ///
  /// - Parameters:
  ///   - report: receives how far it has come, and may throw an error to end it.
  ///   - lose: receives a sentence for everything that is damaged or missing.
  package func verify(report: (Progress) throws -> Void, lose: (String) -> Void) throws -> CheckedContents {
    let (moments, pool) = (try moments(), PhotoPool(of: self))
    var whole: [Moment] = []
    for moment in moments {
      do {
        try verify(moment, pool, lose)
        whole.append(moment)
      } catch { lose("\(error)") }
    }
    // What a damaged one says about photos is not to be believed.
    let known = KnownDigests(whole, max: 512)
    var (photos, bytes) = (0, Int64(0))
    for folder in try pool.folders() {
      for id in try pool.ids(in: folder) {
        guard let sha256 = known.digest(of: id) else { continue }
        try report(Progress("Reading", photos, "photo", bytes: bytes))
        let found = try pool.digest(of: id) { try report(Progress("Reading", photos, "photo", bytes: bytes)) }
        guard let found, found == sha256 || known.need(found, of: id) else {
          lose("photo \(id): in the backups its bytes are damaged, or cannot be read")
          continue
        }
        if known.disagree(about: id, found) {
          lose("photo \(id): some of the backups name other bytes, which they lack")
        }
        photos += 1
        bytes += try pool.status(of: id)?.byteCount ?? 0
      }
    }
    return CheckedContents(moments: moments.count, photos: photos, bytes: bytes)
  }

  private func verify(_ moment: Moment, _ pool: PhotoPool, _ lose: (String) -> Void) throws {
    let connection = try moment.openChecked()
    defer { connection.close() }
    if let problem = try connection.integrityProblems().first { throw OperationError("\(moment.name): \(problem)") }
    try connection.forEachPhoto { photo in
      let status = Photo.isID(photo.randomID.utf8) ? try pool.status(of: photo.randomID) : nil
      if status?.kind != .file {
        lose("\(moment.name) lacks the photo \(photo.randomID.printable)")
      } else if status?.byteCount != photo.byteCount {
        lose("\(moment.name): the photo \(photo.randomID) has another size")
      }
    }
  }

  /// The ids of the photos that no backup would have any more without a moment.
  package func photosOnly(in moment: Moment) throws -> [String] {
    let (pool, connection) = (PhotoPool(of: self), try moment.openChecked())
    defer { connection.close() }
    return try pool.unnamed(without: moment).filter { try connection.exists(PhotoStore.photo(randomID: $0)) }
  }

  /// Removes a moment, and the photos that no other one names.
  ///
  /// - Parameter wait: as for `whileLocked`.
  /// - Returns: why the photos stay; nil if they went.
  package func delete(
    _ moment: Moment, wait: (BackupInProgress) throws -> Void = { throw $0 }
  ) throws -> String? {
    try whileLocked(wait: wait) { lock in
      for path in try unfinished() where lock.isReliable { try FileSystem.removeTree(path) }
      try remove(moment)
      guard lock.isReliable else { return "the lock does not work on this file system" }
      do { try PhotoPool(of: self).removeUnnamed(lock) } catch { return "\(error)" }
      return nil
    }
  }
}

/// A moment in a list of backups.
package struct ListedMoment: Sendable, Encodable {
  package let name: String
  package let line: String
  package let time: String
  /// Nil if the moment does not say, because it is damaged, and so are the next four.
  package let users: Int64?
  package let photos: Int64?
  package let newBytes: Int64?
  package let complete: Bool?
  /// Whether its database has the digest that it had.
  package let verified: Bool

  private enum CodingKeys: String, CodingKey {
    case name, line, time, users, photos, newBytes = "new_bytes", complete, verified
  }

  package init(_ moment: Moment) {
    let description = try? moment.description()
    (name, time) = (moment.name, Timestamp.text(unixMilliseconds: moment.time))
    line = description?.line ?? moment.line
    (users, photos) = (description?.users, description?.photos)
    (newBytes, complete) = (description?.newBytes, description?.isComplete)
    verified = (try? moment.openChecked()) != nil
  }
}
