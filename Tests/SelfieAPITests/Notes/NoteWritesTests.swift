import APITestSupport
import SQL
import Testing

@testable import SelfieAPI

/// Reasons for which a note is refused in the transaction that writes it.
@Suite(.eachDatabase) struct NoteWritesTests {
  private let fixture: WritesFixture
  private let store: NoteStore
  private let first: Note

  init() async throws {
    fixture = try await WritesFixture()
    store = NoteStore(database: fixture.database)
    first = try await store.insert(
      Note(userID: fixture.jane.id, title: "ä", body: "b", createdAt: 1), by: fixture.jane)
  }

  private func note(bytes: Int = 1) -> Note {
    Note(userID: fixture.jane.id, title: "", body: String(repeating: "x", count: bytes), createdAt: 2)
  }

  private func byteCount() async throws -> Int64 {
    try await fixture.database.number(
      Query("SELECT CAST(sum(byte_count) AS bigint) FROM notes WHERE user_id = $1", .integer(fixture.jane.id)))
  }

  /// Jane, as a client knows her that has shown an old password.
  private var formerJane: User {
    var user = fixture.jane
    user.passwordHash = "another"
    return user
  }

  @Test func `a note comes back as it was inserted, and counts for the bytes of its texts`() async throws {
    #expect(try await store.find(id: first.id, userID: fixture.jane.id) == first)
    #expect(try await byteCount() == 3)
  }

  @Test func `a change replaces only the texts that are given, and their bytes`() async throws {
    #expect(try await store.update(id: first.id, by: fixture.jane, title: nil, body: "öö", now: 5))
    let changed = try #require(try await store.find(id: first.id, userID: fixture.jane.id))
    #expect(
      changed == Note(id: first.id, userID: first.userID, title: "ä", body: "öö", createdAt: 1, updatedAt: 5))
    #expect(try await byteCount() == 6)
    #expect(try await store.update(id: first.id, by: fixture.jane, title: "", body: nil, now: 6))
    #expect(try await byteCount() == 4)
  }

  @Test func `no note is written with a password that was replaced`() async throws {
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.passwordReplaced) { try await store.insert(note(), by: formerJane) }
      await #expect(throws: Refusal.passwordReplaced) {
        try await store.update(id: first.id, by: formerJane, title: "", body: "", now: 5)
      }
      await #expect(throws: Refusal.passwordReplaced) { try await store.remove(id: first.id, by: formerJane) }
    }
  }

  @Test func `no note is written for a user who is disabled meanwhile`() async throws {
    _ = try await fixture.users.setDisabled(at: 5, of: "jane@x")
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.accountDisabled) { try await store.insert(note(), by: fixture.jane) }
    }
  }

  @Test func `notes fill their bytes to the last one`() async throws {
    // Longer than an app may send, so that few notes are enough.
    let left = Int(Note.maxBytesPerUser) - 3
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.tooManyNotes) { try await store.insert(note(bytes: left + 1), by: fixture.jane) }
    }
    _ = try await store.insert(note(bytes: left), by: fixture.jane)
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.tooManyNotes) { try await store.insert(note(), by: fixture.jane) }
      await #expect(throws: Refusal.tooManyNotes) {
        try await store.update(id: first.id, by: fixture.jane, title: nil, body: "bb", now: 5)
      }
    }
    #expect(try await store.update(id: first.id, by: fixture.jane, title: "bb", body: nil, now: 5))
    // Of another user nothing counts.
    _ = try await store.insert(Note(userID: fixture.john.id, title: "a", body: "b", createdAt: 1), by: fixture.john)
  }

  @Test func `one note too many is refused, and a change is not`() async throws {
    let jane = fixture.jane
    try await fixture.database.run([
      Query(
        """
        WITH RECURSIVE numbers (number) AS (
          SELECT CAST(1 AS bigint) UNION ALL SELECT number + 1 FROM numbers WHERE number < $1)
        INSERT INTO notes (user_id, title, body, byte_count, created_at, updated_at)
        SELECT $2, '', '', 0, 1, 1 FROM numbers
        """, .integer(Note.maxPerUser - 2), .integer(jane.id))
    ])
    _ = try await store.insert(note(), by: jane)
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.tooManyNotes) { try await store.insert(note(bytes: 0), by: jane) }
    }
    #expect(try await store.update(id: first.id, by: jane, title: "", body: "", now: 5))
    #expect(try await store.remove(id: first.id, by: jane))
    #expect(try await !store.remove(id: first.id, by: jane))
  }
}
