import Foundation
import SQLite
import TestSupport
import Testing

@testable import SelfieServerCommands

/// Permissions of what is stored.
@Suite struct StoragePermissionsTests {
  @Test func `nobody else on the machine can read the database, even in a folder that was open to all`() throws {
    let folder = try TemporaryFolder()
    for name in ["set", "checkout"] {
      try folder.makeFolder(name)
      try #require(chmod("\(folder.path)/\(name)", 0o755) == 0)
      _ = try Storage(path: "\(folder.path)/\(name)", makesFolder: name == "checkout")
      #expect(try folder.permissions(of: name) == 0o700)
    }
    let connection = try Connection(path: "\(folder.path)/checkout/selfie.sqlite3", mode: .readWrite)
    try connection.run("CREATE TABLE users (email TEXT)")
    for file in ["selfie.sqlite3", "selfie.sqlite3-wal", "lock"] {
      #expect(try folder.permissions(of: "checkout/\(file)") == 0o600, "\(file)")
    }
  }
}
