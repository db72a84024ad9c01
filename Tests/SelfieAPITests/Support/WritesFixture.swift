import APITestSupport
import SQL
import SQLite
import Testing

@testable import SelfieAPI

/// Two users in a database, and what the tests of writes ask of it. Nothing is hashed.
struct WritesFixture {
  /// Keeps the database.
  private let api: APIFixture
  let database: ApplicationDatabase
  let users: UserStore
  let tokens: TokenStore
  let jane: User
  let john: User

  init() async throws {
    api = try APIFixture()
    database = api.application.database
    users = UserStore(database: database)
    tokens = TokenStore(database: database)
    jane = try await users.insert(User(email: "jane@x", passwordHash: "jane's", createdAt: 0))
    john = try await users.insert(User(email: "john@x", passwordHash: "john's", createdAt: 0))
  }

  /// A token that lives until 1,000.
  func token(_ number: UInt8, of user: User, createdAt: Int64 = 100) async throws -> Token {
    let token = Token(
      digest: [UInt8](repeating: number, count: 32), userID: user.id, expiresAt: 1000, createdAt: createdAt)
    try await insert([token])
    return token
  }

  func insert(_ tokens: [Token]) async throws {
    try await database.write(about: .all) { tx in for token in tokens { try tx.insert(token) } }
  }

  /// Retires a token as a sign-in does.
  func retire(_ token: Token) async throws {
    try await database.run([Query("UPDATE tokens SET state = 1 WHERE digest = $1", .blob(token.digest))])
  }

  /// All tokens, by their digests.
  func allTokens() async throws -> [Token] {
    try await database.rows(Query("SELECT * FROM tokens ORDER BY digest")).map { Token($0) }
  }

  func delete(_ user: User) async throws {
    try await database.run([Query("DELETE FROM users WHERE id = $1", .integer(user.id))])
  }

  /// Expects that `body` changes no row of any table.
  func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation, during body: () async throws -> Void
  ) async throws {
    let before = try await state()
    try await body()
    #expect(try await state() == before, sourceLocation: sourceLocation)
  }

  /// What changes with each row that is written.
  private func state() async throws -> [String] {
    switch database {
    case .file(let file):
      // How many rows the writing connection has changed since it was opened, those of triggers included.
      let changes = try await file.write { try $0.first("SELECT total_changes()") { $0.integer(0) } ?? 0 }
      return ["\(changes)"]
    case .shared(let shared):
      var rows: [String] = []
      for table in Self.tables { rows += try await shared.read(table).map { $0.text(0) ?? "" }.sorted() }
      return rows
    }
  }

  /// All rows, as texts of PostgreSQL.
  private static let tables = [
    Query("SELECT CAST(entry AS text) FROM users AS entry"),
    Query("SELECT CAST(entry AS text) FROM tokens AS entry"),
    Query("SELECT CAST(entry AS text) FROM photos AS entry"),
    Query("SELECT CAST(entry AS text) FROM photo_bytes AS entry"),
    Query("SELECT CAST(entry AS text) FROM removed_photos AS entry"),
    Query("SELECT CAST(entry AS text) FROM uploads AS entry"),
    Query("SELECT CAST(entry AS text) FROM notes AS entry"),
    Query("SELECT CAST(entry AS text) FROM note_bytes AS entry"),
    Query("SELECT CAST(entry AS text) FROM microblog_users AS entry"),
    Query("SELECT CAST(entry AS text) FROM microblog_sessions AS entry"),
    Query("SELECT CAST(entry AS text) FROM blogposts AS entry"),
  ]
}

extension Token {
  /// The token after it was retired.
  var retired: Token {
    var token = self
    token.state = .retired
    return token
  }
}
