import APITestSupport
import Cryptography
import Platform
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// A check of a cluster, and its repairs.
@Suite(
  .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .serialized,
  .timeLimit(.minutes(2)))
struct ClusterCheckTests {
  private static let made = Task { try await Blocking.run { try ClusterFixture() } }
  private let cluster: ClusterFixture

  init() async throws {
    cluster = try await Self.made.value
    try await cluster.fill()
  }

  @Test func `finds nothing where nothing is wrong`() async throws {
    for repairs in [false, true] {
      let outcome = try await cluster.check(repairs: repairs)
      #expect(outcome.kinds == [])
      #expect(outcome.failures == [])
      let counts = outcome.counts
      #expect([counts.photos, counts.digests, counts.notes, counts.blogposts] == [1, 1, 1, 1])
    }
  }

  @Test func `corrects counts, and deletes sessions that no cookie opens`() async throws {
    try await cluster.run(
      "UPDATE photo_bytes SET byte_count = 7, photo_count = 3",
      "INSERT INTO photo_bytes (user_id, byte_count, photo_count) VALUES (9, 0, 5)",
      "UPDATE notes SET byte_count = 1", "UPDATE note_bytes SET note_count = 4",
      "INSERT INTO note_bytes (user_id, byte_count, note_count) VALUES (9, 0, 5)",
      "UPDATE microblog_sessions SET digest = decode('00', 'hex')",
      "UPDATE photos SET sha256 = NULL")
    let kinds = ["wrong_byte_count", "wrong_byte_count", "wrong_byte_count", "unusable_session"]
    let before = try await cluster.check()
    #expect(before.kinds == kinds)
    #expect(before.counts.photosWithoutDigest == 1)
    #expect(before.findings[0].message.hasPrefix("the photos of 2 users or their bytes are counted wrongly"))
    #expect(before.findings[1].message.hasPrefix("the notes of 2 users or their bytes are counted wrongly"))
    #expect(before.findings[2].message == "note 1 of user 1 is counted as 1 byte, but has 8. --repair corrects it.")

    #expect(try await cluster.check(repairs: true).kinds == kinds.map { "\($0) !" })
    let kept = #"{"digest":"00","user_id":1,"created_at":0,"used_at":0}"#
    #expect(try cluster.folder.text(of: "lost+found/microblog_sessions.jsonl") == "\(kept)\n")
    #expect(try await cluster.check().kinds == [])
    #expect(try await cluster.number("SELECT byte_count FROM photo_bytes") == Int64(ClusterFixture.bytes.count))
    #expect(try await cluster.number("SELECT CAST(sum(photo_count) AS bigint) FROM photo_bytes") == 1)
    #expect(try await cluster.number("SELECT byte_count FROM notes") == 8)
    #expect(try await cluster.number("SELECT byte_count FROM note_bytes") == 8)
    #expect(try await cluster.number("SELECT CAST(sum(note_count) AS bigint) FROM note_bytes") == 1)
    #expect(try await cluster.number("SELECT count(*) FROM microblog_sessions") == 0)
    // The digest is the right one.
    #expect(try await cluster.check().counts.digests == 1)
  }

  @Test func `asks before it takes away many sessions`() async throws {
    try await cluster.run(
      "INSERT INTO microblog_sessions SELECT decode(to_hex(n), 'hex'), 1, 0, 0 FROM generate_series(16, 26) AS n")
    let outcome = try await cluster.check(repairs: true)
    #expect(
      outcome.failures.first?.hasPrefix("No cookie can open 11 of 12 sessions of Microblog.") == true, "\(outcome)")
    #expect(try await cluster.number("SELECT count(*) FROM microblog_sessions") == 12)
    #expect(!cluster.folder.exists("lost+found"))
  }

  @Test func `removes what uploads and deletions have left`() async throws {
    let (upload, removed) = (String(repeating: "u", count: 41), String(repeating: "r", count: 41))
    for id in [upload, removed] { try await cluster.put(as: id) }
    try await cluster.run(
      "INSERT INTO uploads VALUES (repeat('u', 41), 0)", "INSERT INTO removed_photos VALUES (repeat('r', 41), 0, 1)",
      "INSERT INTO removed_photos VALUES (repeat('n', 41))")
    let kinds = ["stale_upload", "removal_pending"]
    let found = try await cluster.check()
    #expect(found.kinds == kinds)
    // It was never tried. A server may be about to delete the other one, whose photo was deleted just now.
    #expect(
      found.findings[1].message.hasPrefix("for an hour, no server has tried to delete 1 object of deleted photos"))
    let objects = cluster.objects
    objects.failDeletions(true)
    #expect(try await cluster.check(repairs: true).kinds == kinds)
    objects.failDeletions(false)
    // As if that had been a while ago.
    try await cluster.run("UPDATE removed_photos SET tried_at = 1, removed_at = 1")
    #expect(try await cluster.check(repairs: true).kinds == ["removal_pending !"])
    for id in [upload, removed] { #expect(try await objects.size(id) == nil) }
    #expect(try await objects.size(ClusterFixture.id) != nil)
    #expect(try await cluster.check().kinds == [])
  }

  @Test func `finds lost and damaged objects, and deletes no row`() async throws {
    try await cluster.put(Array("b photo's bytes".utf8), as: ClusterFixture.id)
    #expect(try await cluster.check(repairs: true).kinds == ["wrong_digest"])
    let quick = try await cluster.check(readsPhotos: false)
    #expect(quick.kinds == [] && quick.counts.digests == 0)
    try await cluster.put([], as: ClusterFixture.id)
    #expect(try await cluster.check(repairs: true).kinds == ["wrong_size"])
    try await cluster.objects.delete(ClusterFixture.id)
    #expect(try await cluster.check(repairs: true).kinds == ["missing_file"])
    #expect(try await cluster.number("SELECT count(*) FROM photos") == 1)
  }

  @Test func `finds rows without an owner`() async throws {
    try await cluster.run(
      "SELECT set_config('session_replication_role', 'replica', true)", "DELETE FROM users",
      "DELETE FROM microblog_users")
    let outcome = try await cluster.check(repairs: true)
    #expect(outcome.kinds == ["foreign_key", "foreign_key", "foreign_key", "foreign_key"])
    for (finding, table) in zip(outcome.findings, ["blogposts", "microblog_sessions", "notes", "photos"]) {
      #expect(finding.message.hasPrefix("1 row of \(table) without a user."))
    }
  }
}

/// The storage of a cluster: a database of its own on the tests' PostgreSQL server, and objects in memory.
final class ClusterFixture: Sendable {
  static let bytes = Array("a photo's bytes".utf8)
  static let id = String(repeating: "p", count: Photo.idLength)

  let database: any SharedDatabase
  let objects = MemoryObjects()
  let log = LogRecorder()
  let folder: TemporaryFolder

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
    if folder.exists("lost+found") { try folder.remove("lost+found") }
    try await run(
      """
      TRUNCATE users, tokens, photos, photo_bytes, removed_photos, uploads, notes, note_bytes, microblog_users,
        microblog_sessions, blogposts, guesses RESTART IDENTITY
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
        of: storage, storage: folder.path, readsPhotos: readsPhotos, repairs: repairs ? bytes : nil, report: report
      ).run()
    }
  }

  deinit {
    database.close()
  }
}
