import SQLite
import TestSupport

extension TemporaryFolder {
  var databasePath: String { path + "/test.sqlite3" }

  func connection(_ mode: Connection.Mode = .readWrite) throws -> Connection {
    try Connection(path: databasePath, mode: mode)
  }
}

/// Stands in for SHA-256: tells texts apart, which is all that migrations ask of it.
func fakeDigest(_ bytes: [UInt8]) -> String {
  String(bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
}
