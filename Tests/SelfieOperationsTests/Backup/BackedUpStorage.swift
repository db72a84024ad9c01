import APITestSupport
import SQLite
import TestSupport
import Testing
import SQL

@testable import SelfieOperations

/// A storage with four users and five photos, notes and Microblog, in use, and what is made of it.
struct BackedUpStorage {
  let api: APIFixture
  let token: String
  let ids: [String]
  /// Where the backup is, and what is restored from it.
  let folder: TemporaryFolder

  /// Sizes around the blocks of an archive, and one of several chunks.
  static let images = [Samples.png, Samples.bytes(511), Samples.bytes(512), Samples.bytes(513), Samples.bytes(600_000)]

  init() async throws {
    api = try APIFixture()
    folder = try TemporaryFolder()
    token = try await api.newUser()
    try await api.signUp("john@example.com")
    var ids: [String] = []
    for image in Self.images { ids.append(try await api.newPhoto(image, token: token)) }
    self.ids = ids
    try await api.application.noteDigests()
    _ = try await api.state.seed(.ofFamilies)
    try api.folder.write(Array("API_AUTH_NAME=n\nAPI_AUTH_PASSWORD=p\n".utf8), to: "credentials.env")
  }

  var file: String { "\(folder.path)/selfie.tar" }

  @discardableResult
  func make(
    replaces: Bool = false, verifies: Bool = false, report: @escaping StorageBackup.Report = { _, _ in },
    lost: @escaping (_ file: String) -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    try StorageBackup(storage: api.folder.path, now: api.clock.now, report: report, lost: lost)
      .make(file, replaces: replaces, verifies: verifies)
  }

  /// Reads and checks all of it.
  @discardableResult
  func verify() throws -> BackupManifest.Summary {
    let folder = try TemporaryFolder()
    return try BackupArchive(path: file).verify(in: folder.path)
  }

  @discardableResult
  func restore(to name: String = "restored") throws -> BackupManifest.Summary {
    try folder.makeFolder(name)
    return try StorageRestore(storage: "\(folder.path)/\(name)").run(BackupArchive(path: file))
  }

  /// The findings of a check of the restored storage, but for its permissions.
  func findings(in name: String = "restored") async -> [String] {
    let outcome = await CheckOutcome(of: "\(folder.path)/\(name)", now: api.clock.now)
    return outcome.failures + outcome.summary.filter { !$0.hasPrefix("permissions") }
  }

  /// Every row of a database, as text.
  static func rows(of path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly)
    let tables: [Query] = [
      "SELECT * FROM users ORDER BY id", "SELECT * FROM photos ORDER BY id", "SELECT * FROM notes ORDER BY id",
      "SELECT hex(digest), user_id, expires_at FROM tokens ORDER BY 1", "SELECT * FROM microblog_users ORDER BY id",
      "SELECT hex(digest), user_id, created_at, used_at FROM microblog_sessions ORDER BY 1",
      "SELECT * FROM blogposts ORDER BY id", "SELECT * FROM storage_identity",
      "SELECT * FROM schema_migrations ORDER BY name",
    ]
    var rows: [String] = []
    for table in tables {
      rows += try connection.query(table) { row in
        (0..<row.columnCount).map { row.text($0) ?? "-" }.joined(separator: "|")
      }
    }
    return rows
  }
}
