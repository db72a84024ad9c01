import APITestSupport
import SQLite
import Testing

@testable import SelfieAPI

/// Two users in a database, and what the tests of writes ask of it. Nothing is hashed.
struct WritesFixture {
  let api: APIFixture
  let jane: User
  let john: User

  init() async throws {
    api = try APIFixture()
    jane = try await api.application.users.insert(User(email: "jane@x", passwordHash: "jane's", createdAt: 0))
    john = try await api.application.users.insert(User(email: "john@x", passwordHash: "john's", createdAt: 0))
  }

  var users: UserStore { api.application.users }

  /// A token that lives until 1,000.
  func token(_ number: UInt8, of user: User, createdAt: Int64 = 100) async throws -> Token {
    let token = Token(
      digest: [UInt8](repeating: number, count: 32), userID: user.id, expiresAt: 1000, createdAt: createdAt)
    try await api.database.write { try TokenStore.insert(token, on: $0) }
    return token
  }

  func delete(_ user: User) async throws {
    try await api.database.write { try $0.run("DELETE FROM users WHERE id = $1", .integer(user.id)) }
  }

  /// Expects that `body` changes no row of any table.
  func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation, during body: () async throws -> Void
  ) async throws {
    let before = try await changes()
    try await body()
    #expect(try await changes() == before, sourceLocation: sourceLocation)
  }

  /// Runs a write, whose evidence is there from then on and returns what the write did.
  func expectEvidence(of write: Write, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let evidence = try #require(write.evidence, sourceLocation: sourceLocation)
    let before = try api.database.read { try $0.rows(evidence) }
    #expect(before.isEmpty, sourceLocation: sourceLocation)
    let written = try await ApplicationDatabase.file(api.database).run(write)
    let after = try api.database.read { try $0.rows(evidence) }
    #expect(written.first?.integer(0) == after.first?.integer(0), sourceLocation: sourceLocation)
    #expect(after.count == 1, sourceLocation: sourceLocation)
  }

  /// How many rows the writing connection has changed since it was opened, those of triggers included.
  private func changes() async throws -> Int64 {
    try await api.database.write { try $0.first("SELECT total_changes()") { $0.integer(0) } ?? 0 }
  }
}
