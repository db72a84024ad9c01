import SQLite
import TestSupport

extension TemporaryFolder {
  var databasePath: String { path + "/test.sqlite3" }

  func connection(_ mode: Connection.Mode = .readWrite) throws -> Connection {
    try Connection(path: databasePath, mode: mode)
  }
}
