import APITestSupport
import Foundation
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI

/// A database of each schema that there ever was becomes one of today.
@Suite struct UpgradeTests {
  /// Rows that use every column that there is after the migration of this number.
  private static let rows: KeyValuePairs = [
    1: """
    INSERT INTO users (id, first_name, last_name, email, password_hash, created_at, updated_at)
      VALUES (3, 'Jane', 'Doe', 'jane@example.com', '$2b$04$x', 1795213456641, 1795213456642),
      (5, NULL, NULL, 'JANE@example.com', '$2a$12$y', -1, 0), (9, 'é 🐶', '"', 'x@y.z', '', 1, 2);
    DELETE FROM users WHERE id = 9;
    """,
    2: """
    INSERT INTO photos (id, random_id, user_id, name, title, byte_count, content_type, created_at, updated_at)
      VALUES (2, 'a', 3, 'p.png', 'me & "you"', 3, 'image/png', 1, 2), (7, 'b', 3, NULL, '', 0, 'image/jpeg', 3, 4),
      (8, 'c', 5, 'x', 'x', 9223372036854775807, 'x', 5, 6);
    DELETE FROM photos WHERE id = 8;
    """,
    3: """
    INSERT INTO tokens (digest, user_id, expires_at, created_at)
      VALUES (x'00ff', 3, 4102444800000, 1), (x'01', 5, 2, 3), (x'', 5, 1, 1);
    """,
    4: """
    UPDATE photos SET sha256 = x'0102' WHERE id = 2;
    INSERT INTO photos VALUES (9, 'd', 5, NULL, 'later', 1, 'image/png', 7, 8, x'ff');
    DELETE FROM photos WHERE id = 9;
    """,
    6: """
    INSERT INTO notes (id, user_id, title, body, byte_count, created_at, updated_at)
      VALUES (4, 3, 'one', '', 3, 1, 1), (5, 3, 'é', 'two', 5, 2, 3), (6, 5, '', '', 0, 1, 1), (8, 5, '', '', 0, 1, 1);
    DELETE FROM notes WHERE id = 8;
    """,
    8: """
    UPDATE tokens SET family = digest;
    UPDATE tokens SET refreshed_at = 4 WHERE digest = x'01';
    INSERT INTO tokens VALUES (x'02', 5, 60004, 4, x'01', NULL);
    INSERT INTO retired_tokens VALUES (x'03', 3, 1, 1, x'03', NULL), (x'04', 5, 1, 1, x'01', 3);
    """,
  ]

  /// How many migrations a database has had that is not of today.
  private static let earlier = 1..<Migrations.sqlite.steps.count

  /// A database after the first `count` migrations. The rows of each were inserted before the next one ran.
  private static func database(at path: String, after count: Int) throws -> Connection {
    let connection = try Connection(path: path, mode: .readWrite)
    for number in 1...count {
      _ = try Migrations(Array(Migrations.sqlite.steps.prefix(number))).run(on: connection, now: 1)
      for (after, text) in rows where after == number { try connection.execute(text) }
    }
    return connection
  }

  /// Tables, indexes and triggers, in the words in which they were made.
  private func schema(_ connection: Connection) throws -> [String?] {
    try connection.query("SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1") {
      $0.text(0)
    }
  }

  private func columns(_ table: String, _ connection: Connection) throws -> [String] {
    try connection.query(Query("SELECT name FROM pragma_table_info(?) ORDER BY cid", .text(table))) { $0.text(0) ?? "" }
  }

  /// Every row of the tables that there were, as SQLite would write it down, by the columns that there were.
  private func contents(_ connection: Connection, _ columns: [String: [String]]) throws -> [String: [String?]] {
    // The SQL of a connection is part of the program's text: what is put together here goes through a view of it.
    try connection.execute("CREATE TEMP TABLE seen (table_name, text)")
    defer { try? connection.execute("DROP TABLE seen") }
    for (table, names) in columns {
      let text = names.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
      try connection.execute("INSERT INTO seen SELECT '\(table)', \(text) FROM \"\(table)\"")
    }
    let rows = try connection.query("SELECT table_name, text FROM seen ORDER BY 1, 2") {
      ($0.text(0) ?? "", $0.text(1))
    }
    return Dictionary(grouping: rows) { $0.0 }.mapValues { $0.map(\.1) }
  }

  @Test(arguments: Self.earlier)
  func `an earlier one`(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let all = Migrations.sqlite
    let path = "\(folder.path)/selfie.sqlite3"
    let old = try Self.database(at: path, after: count)
    let tables = try old.query("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) ?? "" }
    var known: [String: [String]] = [:]
    // What was recorded of the migrations grows; the rest of SQLite's own must stay, too.
    for table in tables where table != "schema_migrations" { known[table] = try columns(table, old) }
    var before = try contents(old, known)
    #expect(before.count >= 2)
    // They are among the others now.
    known["retired_tokens"] = nil
    if let retired = before.removeValue(forKey: "retired_tokens") { before["tokens"]? += retired }
    known["tokens"] = known["tokens"]?.map { $0 == "is_retired" ? "state" : $0 }
    before["tokens"]?.sort { ($0 ?? "") < ($1 ?? "") }
    old.close()

    let database = try Database(path: path, migrations: all, now: 2)
    #expect(database.upgrade.steps == all.steps.dropFirst(count).map(\.name))
    #expect(database.upgrade.copy == "\(path).before-\(all.steps[count].name.prefix(4))")
    database.close()

    let fresh = try Connection(path: "\(folder.path)/fresh.sqlite3", mode: .readWrite)
    _ = try all.run(on: fresh, now: 3)
    let upgraded = try Connection(path: path, mode: .readWrite)
    #expect(try contents(upgraded, known) == before)
    let counts = try upgraded.query("SELECT photo_count FROM photo_bytes") { $0.integer(0) }
    #expect(counts == (count < 2 ? [] : [2]))
    let notes = try upgraded.query("SELECT byte_count, note_count FROM note_bytes ORDER BY user_id") {
      [$0.integer(0), $0.integer(1)]
    }
    #expect(notes == (count < 6 ? [] : [[8, 2], [0, 1]]))
    #expect(try upgraded.integrityProblems() == [])
    #expect(try upgraded.foreignKeyProblems() == [])
    #expect(try schema(upgraded) == schema(fresh))
    #expect(try all.pending(on: upgraded).isEmpty)
  }

  /// Version 0.1.0 had 5 migrations.
  @Test(arguments: [3, 5, 8, 10])
  func `a token stays live, refreshed or retired`(_ count: Int) async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/selfie.sqlite3"
    try Self.database(at: path, after: count).close()
    let database = try Database(path: path, migrations: Migrations.sqlite, now: 2)
    defer { database.close() }

    let live = Token(digest: [0x00, 0xff], userID: 3, expiresAt: 4_102_444_800_000, createdAt: 1)
    var expired = Token(digest: [0x01], userID: 5, expiresAt: 2, createdAt: 3)
    var expected = [live, expired]
    if count >= 8 {
      expired.refreshedAt = 4
      expected = [
        live, expired, Token(digest: [0x02], userID: 5, expiresAt: 60004, createdAt: 4, family: [0x01]),
        Token(digest: [0x03], userID: 3, expiresAt: 1, createdAt: 1, state: .retired),
        Token(digest: [0x04], userID: 5, expiresAt: 1, createdAt: 1, family: [0x01], refreshedAt: 3, state: .retired),
      ]
    }
    #expect(try database.read { try $0.all(TokenStore.page()) } == expected)
    let store = TokenStore(database: .file(database))
    for token in expected {
      #expect(try await store.refreshable(digest: token.digest, now: 5) == token)
      #expect(try await store.find(digest: token.digest, now: 5) == (token.state == .retired ? nil : token))
      #expect(token.isLive(at: 5) == [[0x00, 0xff], [0x02]].contains(token.digest))
    }
  }
}
