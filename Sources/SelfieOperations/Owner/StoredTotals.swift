import Platform
import SQLite
import SelfieAPI

/// How much a server has stored. To count photos and their bytes, the database reads a row of each.
package struct StoredTotals: Sendable {
  package let users: Int64
  package let disabledUsers: Int64
  package let photos: Int64
  package let photoBytes: Int64
  package let databaseBytes: Int64
  /// What was written and is not in the database's file yet.
  package let logBytes: Int64
  /// Of the disk.
  package let freeBytes: Int64

  init(_ database: Database, _ layout: StorageLayout) throws {
    let (users, disabledUsers, photos) = try database.read { connection in
      (
        try UserStore.count(on: connection), try UserStore.countDisabled(on: connection),
        try PhotoStore.totals(on: connection)
      )
    }
    self.users = users
    self.disabledUsers = disabledUsers
    self.photos = photos.count
    photoBytes = photos.byteCount
    databaseBytes = try FileSystem.status(layout.database)?.byteCount ?? 0
    logBytes = try FileSystem.status(layout.database + "-wal")?.byteCount ?? 0
    freeBytes = try FileSystem.freeBytes(at: layout.folder)
  }

  /// Counts on a worker.
  ///
  /// - Throws: `WorkerPoolFull`, or what reading throws.
  package static func count(of application: Application) async throws -> StoredTotals {
    let (database, layout) = (try application.database.requireFile(), application.photos.files.layout)
    return try await application.onWorker { try StoredTotals(database, layout) }
  }
}
