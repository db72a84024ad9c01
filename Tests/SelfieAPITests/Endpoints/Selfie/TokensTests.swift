import APITestSupport
import HTTPMessages
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// Tokens: issued, expiring, ended.
@Suite(.eachDatabase) struct TokensTests {
  @Test func `signing out on one device leaves the other signed in`() async throws {
    let api = try APIFixture()
    let phone = try await api.newUser()
    let tablet = try await api.signIn()

    #expect(await api.get("/api/clear_token", as: .holder(of: phone)).message == "Token cleared")
    #expect(await !api.isAccepted(phone))
    #expect(await api.isAccepted(tablet))

    let again = await api.get("/api/clear_token", as: .holder(of: phone))
    #expect(again.status == .unauthorized)
    #expect(again.fields["X-Error"] == "invalid_token")
  }

  @Test func `a new password ends every token and issues one`() async throws {
    let api = try APIFixture()
    let phone = try await api.newUser()
    let tablet = try await api.signIn()
    try await api.signUp("john@example.com")
    let john = try await api.signIn("john@example.com")

    let response = await api.send(
      "POST", "/api/reset_password", as: .holder(of: phone),
      ["old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt("secret34")])
    let new = try #require(response.member("api_authtoken"), "\(response.text)")

    #expect(await !api.isAccepted(phone))
    #expect(await !api.isAccepted(tablet))
    #expect(await api.isAccepted(new))
    #expect(await api.isAccepted(john))
    let old = await api.send(
      "POST", "/api/signin", as: .app,
      ["email": "jane@example.com", "password": APIFixture.encrypt(APIFixture.password)])
    #expect(old.status == .unauthorized)
    #expect(old.message == "Wrong Password")
    _ = try await api.signIn(password: "secret34")
  }

  @Test func `of two password changes at once, from the same old password, one wins`() async throws {
    let api = try APIFixture()
    let phone = try await api.newUser()
    let tablet = try await api.signIn()
    func reset(_ token: String, to password: String) async -> Response {
      await api.send(
        "POST", "/api/reset_password", as: .holder(of: token),
        ["old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt(password)])
    }
    async let first = reset(phone, to: "password-1")
    async let second = reset(tablet, to: "password-2")
    let responses = await [first, second]

    #expect(Set(responses.map(\.status.code)) == [200, 401])
    #expect(try await api.application.database.number(Query("SELECT count(*) FROM tokens")) == 1)
    let winner = try #require(responses.first { $0.status == .ok }?.member("api_authtoken"))
    #expect(await api.isAccepted(winner))
  }

  @Test(arguments: [
    ("GET", "/api/get_photos", "Authtoken has expired. Please get a new token and try again!"),
    ("GET", "/api/clear_token", "You don't have permission to do this task"),
    (
      "DELETE", "/api/delete_photo?photo_id=a", "Authtoken has expired. Please get a new token and try again!"
    ),
    (
      "POST", "/api/reset_password?old_password=a&new_password=b",
      "Authtoken is invalid or has expired. Kindly refresh the token and try again!"
    ),
  ])
  func `a token lives to the millisecond`(_ method: String, _ target: String, _ message: String) async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    let token = try await api.newUser()

    api.clock.advance(milliseconds: 59_999)
    let inTime = await api.send(method, target, as: .holder(of: token), [:])
    #expect(inTime.fields["X-Error"] != "expired_token")

    let other = try await api.signIn()
    api.clock.advance(milliseconds: 60_000)
    let late = await api.send(method, target, as: .holder(of: other), [:])
    #expect(late.status == .unauthorized)
    #expect(late.message == message)
    #expect(late.fields["X-Error"] == "expired_token")
    // A challenge is for those whose credentials are unknown.
    #expect(late.fields["WWW-Authenticate"] == nil)
  }

  @Test func `a token that expired thirty days ago is unknown, though nothing has pruned it`() async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    let token = try await api.newUser()
    api.clock.advance(milliseconds: 60_000 + TokenStore.expiredRetention - 1)
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).fields["X-Error"] == "expired_token")
    api.clock.advance(milliseconds: 1)
    for path in ["get_photos", "clear_token"] {
      #expect(await api.get("/api/\(path)", as: .holder(of: token)).fields["X-Error"] == "invalid_token")
    }
  }

  @Test func `pruning goes on until all is done, a thousand at a time`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let user = try #require(try await api.application.users.find(email: "jane@example.com"))
    try await insert(
      (0..<2500).map { number in
        Token(digest: Token.digest(of: Array("\(number)".utf8)), userID: user.id, expiresAt: 0, createdAt: 0)
      }, into: api)
    try await api.application.prune()
    #expect(try await api.application.database.number(Query("SELECT count(*) FROM tokens")) == 0)
  }

  @Test func `one token too many ends the oldest`() async throws {
    let api = try APIFixture()
    let first = try await api.newUser()
    try await addTokens(Int(TokenStore.maxPerUser) - 1, of: first, in: api, apart: 1)
    #expect(await api.isAccepted(first))

    let last = try await api.signIn()
    #expect(await !api.isAccepted(first))
    #expect(await api.isAccepted(last))
    #expect(
      try await api.application.database.number(Query("SELECT count(*) FROM tokens WHERE is_retired = 0"))
        == TokenStore.maxPerUser)
  }

  @Test(arguments: [0, -5000])
  func `the newest token is never the one too many, even if the clock stands or goes back`(
    _ milliseconds: Int64
  ) async throws {
    let api = try APIFixture()
    let store = api.application.tokens
    let first = try await api.newUser()
    let user = try #require(try await api.application.users.find(email: "jane@example.com"))
    try await addTokens(Int(TokenStore.maxPerUser), of: first, in: api, apart: 0)
    api.clock.advance(milliseconds: milliseconds)
    for _ in 0..<20 {
      let token = api.application.makeToken(for: user.id).token
      #expect(try await api.application.tokens.issue(token, to: user, checkedPassword: false))
      #expect(try await store.find(digest: token.digest, now: api.clock.now) == token)
    }
    #expect(
      try await api.application.database.number(Query("SELECT count(*) FROM tokens WHERE is_retired = 0"))
        == TokenStore.maxPerUser)
  }

  /// Adds tokens of the same user as `token` has, made so many milliseconds after one another.
  private func addTokens(_ count: Int, of token: String, in api: APIFixture, apart milliseconds: Int64) async throws {
    let user = try #require(
      try await api.application.tokens.find(digest: Token.digest(of: Array(token.utf8)), now: api.clock.now))
    var tokens: [Token] = []
    for _ in 0..<count {
      api.clock.advance(milliseconds: milliseconds)
      tokens.append(api.application.makeToken(for: user.userID).token)
    }
    api.clock.advance(milliseconds: milliseconds)
    try await insert(tokens, into: api)
  }

  private func insert(_ tokens: [Token], into api: APIFixture) async throws {
    try await api.application.database.run(
      tokens.map { token in
        Query(
          "INSERT INTO tokens (digest, user_id, expires_at, created_at, family) VALUES ($1, $2, $3, $4, $5)",
          .blob(token.digest), .integer(token.userID), .integer(token.expiresAt), .integer(token.createdAt),
          .blob(token.family))
      })
  }

  @Test func `a token that would outlive all numbers lasts as long as they do`() throws {
    let api = try APIFixture(clock: SettableClock(.max - 1000))
    #expect(api.application.makeToken(for: 1).token.expiresAt == .max)
  }

  @Test func `only digests of tokens are kept`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let found = try await api.application.database.number(
      Query("SELECT count(*) FROM tokens WHERE length(digest) = 32"))
    #expect(found == 1)
    for file in try api.folder.files(in: "") {
      let bytes = try api.folder.bytes(of: file)
      #expect(bytes.firstRange(of: Array(token.utf8)) == nil, "the token stands in \(file)")
    }
  }
}
