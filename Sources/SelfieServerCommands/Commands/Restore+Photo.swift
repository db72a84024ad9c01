import Glibc
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server restore --photo ID`.
extension Restore {
  func putBack(
    _ id: String, from archive: BackupArchive, _ settings: Settings,
    _ interruption: Interruption
  ) throws {
    let storage = try Storage.existing(settings)
    let logger = StandardErrorLog.logger(settings)
    storage.log(to: logger)
    let database = try Database(
      path: StorageLayout(folder: storage.path).database, migrations: .sqlite, now: unixMilliseconds())
    defer { database.close() }
    database.upgrade.log(to: logger)
    let pool = WorkerPool(name: "restore", threads: 1, waiting: 1)
    defer { pool.shutDown() }
    let library = try PhotoLibrary(database: database, storage: storage.path, pool: pool, logger: logger)
    let restore = PhotoRestore(id: id, database: database, photos: library)
    let line = ProgressLine()
    defer { line.clear() }
    let email = try Blocking.run {
      try await restore.run(archive, migrations: .sqlite) { bytes in
        try interruption.check()
        line.show("Reading: \(bytes) of \(archive.byteCount) bytes")
      }
    }
    line.clear()
    Terminal.writeLines(
      "\(storage.path) has the photo \(id) of \(email) again, as of \(archive.head.madeAt).", to: STDOUT_FILENO)
  }
}
