import APITestSupport
import SQL
import SQLite
import SelfieTestDocuments
import Testing

@testable import SelfieTestControl

/// A check of the tables of the Notes and the Microblog app.
@Suite(.timeLimit(.minutes(10))) struct FamiliesCheckTests {
  private static let database = "selfie.sqlite3"

  /// A storage with notes of two users, and users of Microblog, some of which SQL has changed.
  private func storage(_ sql: String...) async throws -> CheckedStorage {
    let storage = try await CheckedStorage(with: .ofFamilies)
    try await storage.api.database.write { connection in
      for statement in sql { try connection.execute(statement) }
    }
    return storage
  }

  @Test(arguments: [
    (
      "UPDATE notes SET byte_count = 1 WHERE id = 2", "wrong_byte_count",
      "note 2 of user 2 is counted as 1 byte, but has 5. --repair corrects it."
    ),
    (
      "UPDATE microblog_sessions SET digest = x'00'; "
        + "INSERT INTO microblog_sessions (digest, user_id, created_at, used_at) VALUES (x'', 1, 0, 0)",
      "unusable_session",
      "2 sessions of Microblog that no cookie can open. --repair takes such sessions out of the database."
    ),
  ])
  func `corrects what a note counts for, and deletes sessions that no cookie opens`(
    sql: String, kind: String, message: String
  ) async throws {
    let storage = try await storage(sql)
    let before = await storage.check()
    #expect(before.summary == ["\(kind) \(Self.database)"])
    #expect(before.findings.first?.message == message)
    #expect(await storage.repair().summary == ["\(kind) \(Self.database) !"])
    #expect(await storage.check().summary == [])
    #expect(try APIFixture(after: storage.api).count("SELECT byte_count FROM notes WHERE id = 2") == 5)
    let lines = (try? storage.folder.text(of: "lost+found/microblog_sessions.jsonl"))?.split(separator: "\n") ?? []
    #expect(lines.count == (kind == "unusable_session" ? 2 : 0))
  }

  /// `café` in Latin-1, as another program may have written it.
  @Test func `leaves the bytes of a note that is not UTF-8 as they are`() async throws {
    let text = "UPDATE notes SET title = '', body = CAST(x'636166E9' AS TEXT), byte_count ="
    let right = try await storage("\(text) 4 WHERE id = 2")
    let outcome = await right.check()
    #expect(outcome.summary == [])
    #expect(outcome.remarks.first?.hasPrefix("note 2 of user 2 is not UTF-8") == true, "\(outcome.remarks)")

    let wrong = try await storage("\(text) 6 WHERE id = 2")
    #expect(await wrong.repair().summary == ["wrong_byte_count \(Self.database) !"])
    let connection = try Connection(path: "\(wrong.folder.path)/\(Self.database)", mode: .readOnly)
    defer { connection.close() }
    let count = try connection.first(
      "SELECT count(*) FROM notes WHERE hex(body) = '636166E9' AND byte_count = 4"
    ) { $0.integer(0) }
    #expect(count == 1)
  }

  @Test func `corrects counts of notes that have no notes, and those of others`() async throws {
    let storage = try await storage(
      "UPDATE note_bytes SET note_count = 9 WHERE user_id = 2",
      "INSERT INTO note_bytes (user_id, byte_count, note_count) VALUES (77, 0, 5)")
    let found = await storage.check()
    #expect(found.summary == ["wrong_byte_count \(Self.database)"])
    #expect(found.findings.first?.message.hasPrefix("the notes of 2 users or their bytes are counted wrongly") == true)
    #expect(await storage.repair().summary == ["wrong_byte_count \(Self.database) !"])
    #expect(await storage.check().summary == [])
  }

  @Test(arguments: [
    ("UPDATE notes SET title = printf('%0256d', 1), byte_count = 256 WHERE id = 2", "note 2 of user 2: Title is too"),
    ("UPDATE notes SET body = char(0), byte_count = 6 WHERE id = 2", "note 2 of user 2: Body must not contain a NUL"),
    ("UPDATE microblog_users SET name = '' WHERE id = 1", "user 1 of Microblog: A name must not be blank."),
    ("UPDATE microblog_users SET password_hash = 'x' WHERE id = 2", "user 2 of Microblog: the password is not"),
    ("UPDATE blogposts SET text = printf('%010001d', 1) WHERE uuid = 'one'", "post one of Microblog: text has more"),
  ])
  func `finds a row that the server would not have stored, and leaves it`(sql: String, message: String) async throws {
    let storage = try await storage(sql)
    for outcome in [await storage.check(), await storage.repair()] {
      #expect(outcome.summary == ["invalid_row \(Self.database)"])
      #expect(outcome.findings.first?.message.hasPrefix(message) == true, "\(outcome.findings)")
    }
  }

  @Test func `finds rows without an owner`() async throws {
    let storage = try await storage()
    storage.api.database.close()
    let connection = try Connection(path: "\(storage.folder.path)/\(Self.database)", mode: .readWrite)
    try connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM users; DELETE FROM microblog_users")
    connection.close()
    let outcome = await storage.check()
    // A token, three photos, three notes, a session and two posts.
    #expect(outcome.summary == Array(repeating: "foreign_key \(Self.database)", count: 10))
    #expect(outcome.findings.contains { $0.message.hasPrefix("a row of microblog_sessions belongs to a row of") })
    #expect(outcome.findings.contains { $0.message.hasPrefix("row 2 of notes belongs to a row of users") })
  }
}

extension Seed {
  /// Notes of two users, and Microblog.
  static let ofFamilies = Seed(
    users: [
      .init(email: "ada@example.com", notes: [.init(title: "Milk", body: "two"), .init(title: "Bread")]),
      .init(email: "bob@example.com", notes: [.init(body: "\u{1F95B}")]),
    ],
    microblogUsers: [
      .init(name: "ada", sessions: [.init()], blogposts: [.init("Hello", uuid: "one")]),
      .init(name: "bob", blogposts: ["Bye"]),
    ])
}
