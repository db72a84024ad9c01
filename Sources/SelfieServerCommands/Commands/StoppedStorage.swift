import Platform
import SQLite
import SelfieAPI

extension Storage {
  /// Opens the database of a server that does not run, and brings it up to date. Logs that, and whether the storage was
  /// open to others.
  func openDatabase(_ settings: Settings) throws -> Database {
    let logger = StandardErrorLog.logger(settings)
    log(to: logger)
    let database = try Database(
      path: StorageLayout(folder: path).database, migrations: .sqlite, now: unixMilliseconds())
    database.upgrade.log(to: logger)
    return database
  }
}
