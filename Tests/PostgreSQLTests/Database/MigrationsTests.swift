import Platform
import SQL
import SelfieAPI
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `Migrations of PostgreSQL` {
  /// A new database, since the tests run side by side.
  private func database(_ name: String) throws -> DatabaseURL {
    try BlockingConnection(PostgreSQLServer.shared.url()).execute("CREATE DATABASE \(name)")
    return try PostgreSQLServer.shared.url(parameters: "&dbname=\(name)")
  }

  private let two = Migrations([
    Migration(name: "0001_first", sql: "CREATE TABLE first (id bigint); SELECT pg_sleep(0.02)"),
    Migration(name: "0002_second", sql: "CREATE TABLE second (id bigint)"),
  ])

  @Test func `run each step once if several processes begin at the same time`() async throws {
    let url = try database("concurrent")
    let applied = try await withThrowingTaskGroup { group in
      for _ in 0..<3 { group.addTask { try await Blocking.run { try two.run(on: url, now: 5) } } }
      return try await group.reduce(into: [String]()) { $0 += $1 }
    }
    #expect(applied.sorted() == ["0001_first", "0002_second"])
    #expect(try two.run(on: url, now: 6) == [])
  }

  @Test func `leave nothing of a step that fails`() throws {
    let url = try database("failing")
    let failing = Migrations(
      two.steps + [Migration(name: "0003_third", sql: "CREATE TABLE third (id bigint); SELECT nonsense")])
    let error = #expect(throws: ConfigurationError.self) { try failing.run(on: url, now: 5) }
    #expect(error?.description.hasPrefix("0003_third.sql: PostgreSQL error 42703") == true)
    let connection = try BlockingConnection(url)
    #expect(try connection.rows("SELECT name FROM schema_migrations").count == 2)
    #expect(try connection.rows("SELECT to_regclass('third')::text").first?.isNull(0) == true)
  }

  @Test func `refuse a step that commits`() throws {
    let url = try database("committing")
    let steps = Migrations([Migration(name: "0001_first", sql: "COMMIT")])
    let error = #expect(throws: ConfigurationError.self) { try steps.run(on: url, now: 5) }
    #expect(error?.description.contains("ends the transaction") == true)
  }

  @Test func `of this checkout wait for an upload of an earlier version, which reads its quota first`() async throws {
    let url = try database("rolling")
    _ = try Migrations(Array(Migrations.postgreSQL.steps.prefix(4))).run(on: url, now: 5)
    let (upload, other) = (try BlockingConnection(url), try BlockingConnection(url))
    try upload.execute("INSERT INTO users (email, password_hash, created_at, updated_at) VALUES ('a@x', '', 1, 1)")
    try upload.execute("BEGIN; SELECT byte_count FROM photo_bytes")
    async let applied = Blocking.run { try Migrations.postgreSQL.run(on: url, now: 6) }
    let waiting = Query(
      """
      SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
      WHERE datname = current_database() AND NOT granted
      """)
    try await waitUntil { try !other.rows(waiting).isEmpty }
    try upload.execute(
      """
      INSERT INTO photos (random_id, user_id, title, byte_count, content_type, created_at, updated_at)
        VALUES ('one', 1, '', 5, 'image/png', 1, 1);
      COMMIT
      """)
    #expect(try await applied.count == Migrations.postgreSQL.steps.count - 4)
    #expect(try other.rows("SELECT photo_count FROM photo_bytes").map { $0.integer(0) } == [1])
  }

  @Test func `of this checkout make tables that keep photos and objects together`() throws {
    let url = try database("schema")
    // Photos were not counted then.
    _ = try Migrations(Array(Migrations.postgreSQL.steps.prefix(4))).run(on: url, now: 5)
    let connection = try BlockingConnection(url)
    try connection.execute(
      """
      INSERT INTO users (email, password_hash, created_at, updated_at) VALUES ('b@x', '', 1, 1), ('B@x', '', 1, 1);
      INSERT INTO photos (random_id, user_id, title, byte_count, content_type, created_at, updated_at)
        VALUES ('one', 1, '', 5, 'image/png', 1, 1), ('two', 1, '', 7, 'image/png', 1, 1),
          ('empty', 1, '', 0, 'image/png', 1, 1)
      """)
    _ = try Migrations.postgreSQL.run(on: url, now: 6)
    try connection.execute("DELETE FROM photos WHERE random_id = 'one'")
    #expect(try connection.rows("SELECT random_id FROM removed_photos").map { $0.text(0) } == ["one"])
    let sums = try #require(try connection.rows("SELECT byte_count, photo_count FROM photo_bytes").first)
    #expect([sums.integer(0), sums.integer(1)] == [7, 2])
    #expect(
      try connection.rows("SELECT email FROM users ORDER BY email").map { $0.text(0) } == ["B@x", "b@x"])
    try connection.execute("DELETE FROM users WHERE id = 1")
    #expect(try connection.rows("SELECT random_id FROM removed_photos").count == 3)
    #expect(try connection.rows("SELECT 1 FROM photo_bytes").isEmpty)
  }
}
