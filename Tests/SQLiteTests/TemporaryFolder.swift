import Foundation
import SQLite

/// A folder that is gone with the last reference to it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var databasePath: String { path + "/test.sqlite3" }

  func connection(_ mode: Connection.Mode = .readWrite) throws -> Connection {
    try Connection(path: databasePath, mode: mode)
  }

  func write(_ text: String, to file: String) throws {
    try text.write(toFile: "\(path)/\(file)", atomically: true, encoding: .utf8)
  }

  func exists(_ file: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(file)")
  }
}

/// Stands in for SHA-256: tells texts apart, which is all that migrations ask of it.
func fakeDigest(_ bytes: [UInt8]) -> String {
  String(bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
}
