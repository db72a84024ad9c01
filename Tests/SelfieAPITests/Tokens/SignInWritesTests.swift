import APITestSupport
import SQL
import Testing

@testable import SelfieAPI

/// Reasons for which a new token is refused, and the tokens that it retires.
@Suite(.eachDatabase) struct SignInWritesTests {
  private let fixture: WritesFixture

  init() async throws {
    fixture = try await WritesFixture()
  }

  private func newToken(_ number: UInt8, at time: Int64 = 500) -> Token {
    Token(
      digest: [UInt8](repeating: number, count: 32), userID: fixture.jane.id, expiresAt: time + 900, createdAt: time)
  }

  private func tokens() async throws -> [Token] {
    try await fixture.allTokens().filter { $0.state == .live }
  }

  private func retired() async throws -> [Token] {
    try await fixture.allTokens().filter { $0.state == .retired }
  }

  @Test func `an address that is taken uses up no id`() async throws {
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.accountExists) {
        try await fixture.users.insert(User(email: "jane@x", passwordHash: "", createdAt: 0))
      }
    }
    let next = try await fixture.users.insert(User(email: "Jane@x", passwordHash: "", createdAt: 0))
    #expect(next.id == fixture.john.id + 1)
  }

  @Test(arguments: [false, true])
  func `a token is given for the address that was read, and for the password if it was checked`(
    _ checkedPassword: Bool
  ) async throws {
    let old = try await fixture.token(1, of: fixture.jane)
    var moved = fixture.jane
    moved.email = "another@x"
    var gone = fixture.jane
    gone.id = 99
    let refused = [moved, gone]
    try await fixture.expectNoChange { () async throws in
      for user in refused {
        #expect(try await !fixture.tokens.issue(newToken(2), to: user, checkedPassword: checkedPassword))
      }
    }
    var replaced = fixture.jane
    replaced.passwordHash = "another"
    #expect(
      try await fixture.tokens.issue(newToken(2), to: replaced, checkedPassword: checkedPassword) == !checkedPassword)
    #expect(try await tokens() == (checkedPassword ? [old] : [old, newToken(2)]))
  }

  @Test func `a user who is disabled meanwhile gets no token, and one with another password is told only that`()
    async throws
  {
    _ = try await fixture.users.setDisabled(at: 5, of: "jane@x")
    var replaced = fixture.jane
    replaced.passwordHash = "another"
    let former = replaced
    try await fixture.expectNoChange { () async throws in
      await #expect(throws: Refusal.accountDisabled) {
        try await fixture.tokens.issue(newToken(2), to: fixture.jane, checkedPassword: true)
      }
      #expect(try await !fixture.tokens.issue(newToken(2), to: former, checkedPassword: true))
    }
  }

  @Test func `a sign-in retires what has expired, and forgets what cannot be refreshed`() async throws {
    let expired = try await fixture.token(1, of: fixture.jane)
    let ended = try await fixture.token(2, of: fixture.jane)
    try await fixture.tokens.forbidRefresh(of: ended)
    let others = try await fixture.token(3, of: fixture.john)
    let new = newToken(4, at: expired.expiresAt)
    #expect(try await fixture.tokens.issue(new, to: fixture.jane, checkedPassword: true))
    #expect(try await tokens() == [others, new])
    #expect(try await retired() == [expired.retired])
  }

  @Test func `a sign-in retires the oldest of too many that live, and expired ones do not count`() async throws {
    let (jane, max) = (fixture.jane, Int(TokenStore.maxPerUser))
    let living = (0..<max).map { number in
      Token(
        digest: [UInt8(number), 1] + [UInt8](repeating: 0, count: 30), userID: jane.id, expiresAt: 1000,
        createdAt: Int64(number))
    }
    try await fixture.insert(living)
    // Younger than all of them, as a token is that was refreshed.
    var expired = try await fixture.token(200, of: jane, createdAt: 400)
    expired.expiresAt = 450
    try await fixture.database.run([Query("UPDATE tokens SET expires_at = 450 WHERE created_at = 400")])
    let new = newToken(255)
    #expect(try await fixture.tokens.issue(new, to: jane, checkedPassword: true))
    #expect(try await tokens() == Array(living.dropFirst()) + [new])
    #expect(try await retired() == [living[0].retired, expired.retired])
  }

  @Test func `a new password ends all tokens but the new one`() async throws {
    let (old, other) = (try await fixture.token(1, of: fixture.jane), try await fixture.token(2, of: fixture.jane))
    let johns = try await fixture.token(3, of: fixture.john)
    try await fixture.retire(other)
    let new = newToken(4)
    #expect(try await fixture.tokens.replacePassword(of: fixture.jane, by: "new", as: old, newToken: new))
    #expect(try await tokens() == [johns, new])
    #expect(try await retired() == [])
    let jane = try #require(try await fixture.users.find(id: fixture.jane.id))
    #expect(jane.passwordHash == "new")
    #expect(jane.updatedAt == new.createdAt)
  }

  @Test func `no password is replaced twice, without a token, or for a disabled user`() async throws {
    let token = try await fixture.token(1, of: fixture.jane)
    var former = fixture.jane
    former.passwordHash = "another"
    let replaced = former
    func replace(of user: User, as token: Token) async throws -> Bool {
      try await fixture.tokens.replacePassword(of: user, by: "new", as: token, newToken: newToken(4))
    }
    try await fixture.expectNoChange { () async throws in
      #expect(try await !replace(of: replaced, as: token))
      await #expect(throws: Refusal.tokenEnded) { try await replace(of: fixture.jane, as: newToken(9)) }
    }
    _ = try await fixture.users.setDisabled(at: 5, of: "jane@x")
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.accountDisabled) { try await replace(of: fixture.jane, as: token) }
    }
    try await fixture.delete(fixture.jane)
    try await fixture.expectNoChange { () async throws in
      #expect(try await !replace(of: fixture.jane, as: token))
    }
  }

  @Test func `a token that is retired meanwhile may still replace the password`() async throws {
    let token = try await fixture.token(1, of: fixture.jane)
    try await fixture.retire(token)
    #expect(
      try await fixture.tokens.replacePassword(of: fixture.jane, by: "new", as: token, newToken: newToken(4)))
  }
}
