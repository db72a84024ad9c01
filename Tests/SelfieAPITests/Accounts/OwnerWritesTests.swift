import APITestSupport
import SQL
import Testing

@testable import SelfieAPI

/// Writes of the owner about one user, whom an address names.
@Suite(.eachDatabase) struct OwnerWritesTests {
  private let fixture: WritesFixture
  private let janes: [Token]
  private let johns: Token

  init() async throws {
    fixture = try await WritesFixture()
    janes = [try await fixture.token(1, of: fixture.jane), try await fixture.token(2, of: fixture.jane)]
    johns = try await fixture.token(3, of: fixture.john)
    try await fixture.insert([
      Token(digest: [4], userID: fixture.jane.id, expiresAt: 200, createdAt: 1, state: .retired)
    ])
    try await fixture.database.run([
      Query("UPDATE tokens SET expires_at = 150 WHERE digest = $1", .blob(janes[1].digest))
    ])
  }

  private func expectEnded() async throws {
    #expect(try await fixture.allTokens() == [johns])
  }

  @Test func `nothing is written about an address that nobody has`() async throws {
    let users = fixture.users
    try await fixture.expectNoChange { () async throws in
      #expect(try await users.replacePassword(of: "JANE@x", by: "new", now: 200)?.user == nil)
      #expect(try await users.endTokens(of: "JANE@x", now: 200)?.user == nil)
      #expect(try await users.setDisabled(at: 5, of: "JANE@x") == nil)
      #expect(try await users.setDisabled(at: nil, of: "JANE@x") == nil)
      #expect(try await users.remove(email: "JANE@x", now: 200)?.user == nil)
    }
  }

  @Test func `a new password ends the user's tokens, and counts those that lived`() async throws {
    let changed = try #require(try await fixture.users.replacePassword(of: "jane@x", by: "new", now: 200))
    #expect(changed.count == 1)
    let jane = try #require(try await fixture.users.find(id: fixture.jane.id))
    #expect(changed.user == jane)
    #expect(jane.passwordHash == "new")
    #expect(jane.updatedAt == 200)
    try await expectEnded()
  }

  @Test func `a user's tokens end without a new password`() async throws {
    let ended = try #require(try await fixture.users.endTokens(of: "jane@x", now: 100))
    #expect(ended.count == 2)
    #expect(ended.user == fixture.jane)
    #expect(try await fixture.users.find(id: fixture.jane.id) == fixture.jane)
    try await expectEnded()
  }

  @Test func `a search folds ASCII letters only, whatever the locale of the database`() async throws {
    try await fixture.database.run([
      Query("UPDATE users SET first_name = 'Özil', last_name = 'ÄDA' WHERE id = $1", .integer(fixture.jane.id))
    ])
    for (search, count) in [("Özil", 1), ("ÖZIL äDA", 0), ("ÖZIL ÄDA", 1), ("Äda", 1), ("öZIL", 0)] as [(_, Int64)] {
      #expect(try await fixture.database.number(UserStore.count(matching: search)) == count, "\(search)")
    }
  }

  @Test func `a user is disabled since the first time, until enabled`() async throws {
    #expect(try await fixture.users.setDisabled(at: 5, of: "jane@x")?.disabledAt == 5)
    #expect(try await fixture.users.setDisabled(at: 6, of: "jane@x")?.disabledAt == 5)
    #expect(try await fixture.users.setDisabled(at: nil, of: "jane@x") == fixture.jane)
    #expect(try await fixture.users.setDisabled(at: nil, of: "jane@x") == fixture.jane)
    #expect(try await fixture.users.find(id: fixture.john.id) == fixture.john)
  }

  @Test func `a deletion tells what was deleted, and leaves the others' rows`() async throws {
    let jane = fixture.jane.id
    try await fixture.database.write(about: .all) { tx in
      try tx.insert(
        Photo(randomID: "a", userID: jane, name: nil, title: "", byteCount: 7, contentType: "", createdAt: 1))
      try tx.insert(Note(userID: jane, title: "t", body: "b", createdAt: 1))
    }
    let removed = try #require(try await fixture.users.remove(email: "jane@x", now: 200))
    #expect(removed.user == fixture.jane)
    #expect([removed.photos, removed.photoBytes, removed.notes, removed.tokens] == [1, 7, 1, 1])
    #expect(try await fixture.users.find(id: fixture.jane.id) == nil)
    #expect(try await fixture.database.all(PhotoStore.removed(after: ""), as: String.self) == ["a"])
    #expect(try await fixture.database.rows(Query("SELECT * FROM notes")).isEmpty)
    try await expectEnded()
  }
}
