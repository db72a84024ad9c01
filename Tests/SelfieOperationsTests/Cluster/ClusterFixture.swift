import APITestSupport
import Cryptography
import Platform
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// The storage of a cluster: a database of its own on the tests' PostgreSQL server, and objects in memory.
final class ClusterFixture: Sendable {
  static let bytes = Array("a photo's bytes".utf8)
  static let id = String(repeating: "p", count: Photo.idLength)

  let database: any SharedDatabase
  let objects = MemoryObjects()
  let log = LogRecorder()
  private let folder: TemporaryFolder

  /// Blocks.
  init() throws {
    let server = try PostgreSQLServer.shared
    try server.run("CREATE DATABASE doctor")
    let url = try DatabaseURL(server.address(of: "doctor"))
    _ = try Migrations.postgreSQL.run(on: url, now: 0)
    folder = try TemporaryFolder()
    database = PostgreSQLDatabase(url, clock: { monotonicMilliseconds() })
  }

  // MARK: - What is stored

  /// Runs statements in one transaction.
  func run(_ statements: StaticString...) async throws {
    try await database.write(locking: []) { tx in for statement in statements { try tx.run(Query(statement)) } }
  }

  /// The number that a statement returns.
  func number(_ statement: StaticString) async throws -> Int64 {
    try await database.first(Query(statement), as: Int64.self) ?? 0
  }

  func put(_ bytes: [UInt8] = ClusterFixture.bytes, as id: String) async throws {
    try folder.write(bytes, to: id)
    let file = try #require(try FileSystem.open("\(folder.path)/\(id)"))
    _ = try await objects.put(
      id, file, byteCount: Int64(bytes.count), sha256: Digest.sha256(bytes), flow: Flow())
  }

  /// Stores a user with a photo and a note, and a user of Microblog with a session and a post, and nothing else.
  func fill() async throws {
    try await run(
      """
      TRUNCATE users, tokens, photos, photo_bytes, removed_photos, uploads, notes, microblog_users, microblog_sessions,
        blogposts, guesses RESTART IDENTITY
      """)
    let hash = "$2b$04$" + String(repeating: "a", count: 21) + "." + String(repeating: "a", count: 31)
    let photo = Photo(
      id: 1, randomID: Self.id, userID: 1, name: nil, title: "me", byteCount: Int64(Self.bytes.count),
      contentType: "image/png", createdAt: 0, sha256: Digest.sha256(Self.bytes))
    try await database.write(locking: []) { tx in
      try tx.insert(User(id: 1, email: "ada@example.com", passwordHash: hash, createdAt: 0))
      try tx.insert(Note(id: 1, userID: 1, title: "Milk", body: "\u{1F95B}", createdAt: 0))
      try tx.insert(photo)
      try tx.insert(MicroblogUser(id: 1, name: "ada", passwordHash: hash, createdAt: 0))
      try tx.insert(MicroblogSession(digest: [UInt8](repeating: 1, count: 32), userID: 1, createdAt: 0, usedAt: 0))
      try tx.insert(Blogpost(id: 1, uuid: "one", userID: 1, text: "Hello", createdAt: 0))
    }
    try await put(as: Self.id)
  }

  // MARK: - Operations

  func check(repairs: Bool = false, readsPhotos: Bool = true) async throws -> CheckOutcome {
    let bytes = objects.bytes(of: database, sweepAfter: 600, logger: log.logger)
    // The tests' server does not sync.
    return await CheckOutcome(without: .unsafeSetting) { report in
      let storage = ClusterStorage(database: database, objects: objects, sweepAfter: 600)
      return await ClusterCheck(
        of: storage, readsPhotos: readsPhotos, repairs: repairs ? bytes : nil, report: report
      ).run()
    }
  }

  deinit {
    database.close()
  }
}
