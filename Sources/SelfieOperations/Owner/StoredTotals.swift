package import Platform
package import SelfieAPI

/// How much a server has stored. To count photos and their bytes, the database reads a row of each.
package struct StoredTotals: Sendable {
  package let users: Int64
  package let disabledUsers: Int64
  package let photos: Int64
  package let photoBytes: Int64
  /// Nil where the database is shared, as are the next three.
  package private(set) var databaseBytes: Int64?
  /// The bytes that were written and are not in the database's file yet.
  package private(set) var logBytes: Int64?
  /// Of the disk.
  package private(set) var freeBytes: Int64?
  package private(set) var diskBytes: Int64?

  /// Anyone who reaches the metrics may ask for them again and again, and counting a million photos takes a tenth of a
  /// second: the totals are counted so seldom that it takes no more than a hundredth of a processor's time. After two
  /// seconds the disk hangs, and the last totals are used.
  package static func probe() -> SharedProbe<StoredTotals?> { SharedProbe(patience: 2000) { $0 * 100 } }

  /// - Throws: `QueueFull`, or what reading throws.
  package static func count(of application: Application) async throws -> StoredTotals {
    let (database, workers) = (application.database, application.lists)
    let photos = try await database.all(PhotoStore.totals, as: Totals.self, by: workers).first
    var totals = StoredTotals(
      users: try await database.number(UserStore.count, by: workers),
      disabledUsers: try await database.number(UserStore.countDisabled, by: workers), photos: photos?.rowCount ?? 0,
      photoBytes: photos?.byteCount ?? 0)
    guard let layout = application.photos.bytes.layout else { return totals }
    totals.databaseBytes = try FileSystem.status(layout.database)?.byteCount ?? 0
    totals.logBytes = try FileSystem.status(layout.database + "-wal")?.byteCount ?? 0
    totals.freeBytes = try FileSystem.freeBytes(at: layout.folder)
    totals.diskBytes = try FileSystem.diskBytes(at: layout.folder)
    return totals
  }
}
