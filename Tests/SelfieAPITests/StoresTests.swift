import APITestSupport
import Foundation
import HTTPMessages
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI

@Suite("The tables and what is asked of them") struct StoresTests {
  /// The SQL in the text of a source file: string literals that begin with one of SQL's verbs.
  private static func statements(in file: String) throws -> [String] {
    let source = try String(contentsOfFile: "\(checkout)/Sources/\(file)", encoding: .utf8)
    let literal = /"""\s*((?:SELECT|INSERT|UPDATE|DELETE)(?s:.)*?)"""|"((?:SELECT|INSERT|UPDATE|DELETE) [^"]*)"/
    return source.matches(of: literal).compactMap { $0.1 ?? $0.2 }.map(String.init)
  }

  @Test(arguments: [
    ("SelfieAPI/Accounts/UserStore.swift", 4), ("SelfieAPI/Tokens/TokenStore.swift", 8),
    ("SelfieAPI/Photos/PhotoStore.swift", 9), ("SelfieAPI/Photos/PhotoStoreCheck.swift", 4),
    ("SelfieAPI/Accounts/UserStore+Import.swift", 3), ("SelfieAPI/Tokens/TokenStore+Import.swift", 1),
    ("SelfieAPI/Photos/PhotoStore+Import.swift", 2), ("SelfieOperations/RailsImport/Importer+Rows.swift", 2),
  ])
  func `every statement finds its rows by an index`(_ file: String, _ count: Int) async throws {
    let statements = try Self.statements(in: file)
    #expect(statements.count == count, "\(statements)")
    let api = try APIFixture()
    for sql in statements {
      let plan = try api.database.read { try $0.queryPlan(sql) }
      #expect(sql.hasPrefix("INSERT") || !plan.isEmpty)
      #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
    }
  }

  @Test func `an address can be taken once, and the error says so`() async throws {
    let api = try APIFixture()
    let users = UserStore(database: api.database)
    func insert(_ email: String) async throws -> User {
      try await users.insert(firstName: nil, lastName: nil, email: email, passwordHash: "", now: 0)
    }
    let jane = try await insert("jane@example.com")
    await #expect(throws: EmailTaken.self) { try await insert("jane@example.com") }
    let other = try await insert("Jane@example.com")
    #expect(jane.id != other.id)
    #expect(try users.find(email: "jane@example.com") == jane)
    #expect(try users.find(id: other.id) == other)
  }

  @Test func `of two who sign up with one address at the same time, one is told that it is taken`() async throws {
    let api = try APIFixture()
    let parameters = [
      "full_name": "Jane", "email": "jane@example.com", "password": APIFixture.encrypt(APIFixture.password),
    ]
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<8 {
        group.addTask { await api.send("POST", "/api/signup", as: .app, parameters) }
      }
      return await group.reduce(into: [Response]()) { $0.append($1) }
    }
    #expect(answers.filter { $0.status == .ok }.count == 1)
    let refused = answers.filter { $0.status == .badRequest }
    #expect(refused.count == 7)
    #expect(refused.allSatisfy { $0.message == "email - has already been taken," })
    #expect(try api.count("SELECT count(*) FROM users") == 1)
  }

  @Test func `another constraint is not taken for an address`() async throws {
    let api = try APIFixture()
    try await api.database.write { connection in
      try connection.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON users BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed'); END")
    }
    let error = await #expect(throws: SQLiteError.self) {
      try await UserStore(database: api.database).insert(
        firstName: nil, lastName: nil, email: "a@b.c", passwordHash: "", now: 0)
    }
    #expect(error?.isUniqueViolation == false)
  }

  @Test func `a photo or a token of nobody is refused`() async throws {
    let api = try APIFixture()
    let photo = Photo(
      randomID: "a", userID: 1, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
    let token = Token(digest: [1], userID: 1, expiresAt: 1, createdAt: 0)
    let errors = [
      await #expect(throws: SQLiteError.self) {
        try await PhotoStore(database: api.database).insert(photo)
      },
      await #expect(throws: SQLiteError.self) {
        try await api.database.write { try TokenStore.insert(token, on: $0) }
      },
    ]
    #expect(errors.allSatisfy { $0?.isForeignKeyViolation == true })
  }

  @Test func `with a user go his photos and tokens`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    _ = try await api.newPhoto(token: token)
    try await api.database.write { try $0.run("DELETE FROM users") }
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
    #expect(try api.count("SELECT count(*) FROM tokens") == 0)
  }
}
