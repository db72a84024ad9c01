import Cryptography
import Foundation
import SQLite
import Testing

@testable import SelfieServerTesting

@Suite struct `Embedded migrations` {
  @Test func `are those of the folder Migrations`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Migrations").path
    let migrations = try Migrations(directory: folder) { Digest.hex(Digest.sha256($0)) }
    #expect(Migrations.embedded.steps.map(\.name) == migrations.steps.map(\.name))
    #expect(Migrations.embedded.steps.map(\.sha256) == migrations.steps.map(\.sha256))
  }
}
