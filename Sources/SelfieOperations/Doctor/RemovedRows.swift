import HTTPMessages
import Platform
import SQLite
import SelfieAPI

/// Keeps the rows that a repair takes out of a storage's database: as lines of JSON in `lost+found/`, after a copy of the
/// whole database.
final class RemovedRows: Sendable {
  private let layout: StorageLayout
  private let now: Int64
  /// The path of the copy, once there is one.
  private let copy = Monitor<String?>(nil)

  /// - Parameter now: in Unix milliseconds.
  init(of layout: StorageLayout, now: Int64) {
    self.layout = layout
    self.now = now
  }

  /// Returns where the rows are, as seen from the storage folder, once they and the copy are on the disk. The caller may
  /// delete them then.
  ///
  /// - Parameter rows: a JSON object each.
  func keep(_ rows: [String], of table: String, _ connection: Connection) throws -> String {
    try copyOnce(connection)
    return try LostAndFound(layout).add(rows, of: table)
  }

  private func copyOnce(_ connection: Connection) throws {
    try copy.withLock { copy in
      guard copy == nil else { return }
      // A colon cannot be part of a name everywhere.
      let time = Timestamp.text(unixMilliseconds: now).replacing(":", with: "-")
      let path = "\(layout.database).before-repair-\(time)"
      try connection.keepCopy(at: path, freeBytes: FileSystem.freeBytes(at: layout.folder))
      copy = path
    }
  }
}
