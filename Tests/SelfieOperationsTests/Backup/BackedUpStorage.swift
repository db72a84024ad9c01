import APITestSupport
import Platform
import SQLite
import SelfieAPI
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
    try await api.application.upkeep.noteDigests()
    _ = try await api.state.seed(.ofFamilies)
    try api.folder.write(Array("API_AUTH_NAME=n\nAPI_AUTH_PASSWORD=p\n".utf8), to: "credentials.env")
  }

  var file: String { "\(folder.path)/selfie.tar" }
  var place: BackupFolder { get throws { try BackupFolder(in: folder.path, of: backup().identity()) } }

  func backup(
    report: @escaping StorageBackup.Report = { _, _ in }, warn: @escaping (String) -> Void = { _ in }
  ) -> StorageBackup {
    StorageBackup(storage: api.folder.path, now: api.clock.now, report: report, warn: warn)
  }

  /// Makes a moment, without a server's record of it.
  @discardableResult
  func make(
    report: @escaping StorageBackup.Report = { _, _ in }, warn: @escaping (String) -> Void = { _ in }
  ) throws -> MadeMoment {
    let place = try place
    _ = try FileSystem.makeFolder(place.path)
    return try place.whileLocked { _ in try backup(report: report, warn: warn).makeMoment(in: place) }
  }

  @discardableResult
  func makeTar(warn: @escaping (String) -> Void = { _ in }) throws -> BackupDescription {
    try PartialFile.make(file, replaces: true) { partial in
      try backup(warn: warn).writeTar(to: partial.file, name: partial.path)
    }
  }

  /// Reads and checks all of it.
  @discardableResult
  func verify(_ path: String? = nil) throws -> CheckedBackup {
    let folder = try TemporaryFolder()
    let source = try BackupSource.newest(at: path ?? file, skipsDamaged: false)
    return try BackupCheck(source, skipsDamaged: false).run(in: folder.path)
  }

  @discardableResult
  func restore(
    _ path: String? = nil, to name: String = "restored", skipsDamaged: Bool = false,
    lose: @escaping (PhotoProblem) -> Void = { _ in }
  ) throws -> CheckedBackup {
    try folder.makeFolder(name)
    let source = try BackupSource.newest(at: path ?? self.folder.path, skipsDamaged: skipsDamaged)
    return try StorageRestore(storage: "\(folder.path)/\(name)")
      .run(BackupCheck(source, skipsDamaged: skipsDamaged, lose: lose), now: api.clock.now)
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
