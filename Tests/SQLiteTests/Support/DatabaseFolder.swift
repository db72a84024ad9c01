import SQL
import SQLite
import TestSupport

extension TemporaryFolder {
  var databasePath: String { path + "/test.sqlite3" }

  func connection(_ mode: Connection.Mode = .readWrite) throws -> Connection {
    try Connection(path: databasePath, mode: mode)
  }

  /// A database whose only migration is this.
  func database(_ sql: String, isDurable: Bool = true) throws -> Database {
    let step = Migration(name: "0001_a", sql: sql)
    return try Database(path: databasePath, migrations: Migrations([step]), now: 0, isDurable: isDurable)
  }
}
