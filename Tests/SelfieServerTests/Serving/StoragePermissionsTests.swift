import Foundation
import SQLite
import TestSupport
import Testing

@testable import SelfieServerCommands

/// Permissions of what is stored.
@Suite struct StoragePermissionsTests {
  @Test func `nobody else on the machine can read the database, even in a folder that is open to all`() throws {
    let folder = NSTemporaryDirectory() + "storage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: folder) }

    _ = try Storage(path: folder, makesFolder: false)
    let connection = try Connection(path: "\(folder)/selfie.sqlite3", mode: .readWrite)
    try connection.run("CREATE TABLE users (email TEXT)")

    #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
    for file in ["selfie.sqlite3", "selfie.sqlite3-wal", "lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
  }

  @Test func `a folder that came with a checkout is closed`() throws {
    let folder = NSTemporaryDirectory() + "storage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try Storage(path: folder, makesFolder: true)
    #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
  }
}
