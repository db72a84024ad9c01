import APITestSupport
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// Tokens: issued, expiring, ended.
@Suite(.eachDatabase) struct TokenTests {
  @Test func `a token lives to the millisecond`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.tokenLifetime = 60 }
    api.clock.advance(milliseconds: 59_999)
    #expect(await api.isAccepted(token))
    api.clock.advance(milliseconds: 1)
    let late = await api.get("/api/get_photos", as: .holder(of: token))
    #expect(late.fields["X-Error"] == "expired_token")
    // A challenge is for those whose credentials are unknown.
    #expect(late.fields["WWW-Authenticate"] == nil)
  }

  @Test func `a token that expired thirty days ago is unknown, though nothing has pruned it`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.tokenLifetime = 60 }
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
    try await api.forgetExpired()
    #expect(try await api.number("SELECT count(*) FROM tokens") == 0)
  }

  @Test(arguments: [0, -5000])
  func `the newest token is never the one too many, even if the clock stands or goes back`(
    _ milliseconds: Int64
  ) async throws {
    let api = try APIFixture()
    try await api.signUp()
    let application = api.application
    let user = try #require(try await application.users.find(email: "jane@example.com"))
    try await insert(
      (0..<TokenStore.maxPerUser).map { _ in application.tokenIssuer.issue(for: user.id).token }, into: api)
    api.clock.advance(milliseconds: milliseconds)
    for _ in 0..<20 {
      let token = application.tokenIssuer.issue(for: user.id).token
      #expect(try await application.tokens.issue(token, to: user, checkedPassword: false))
      #expect(try await application.tokens.find(digest: token.digest, now: api.clock.now) == token)
    }
    #expect(try await api.number("SELECT count(*) FROM tokens WHERE state = 0") == TokenStore.maxPerUser)
  }

  private func insert(_ tokens: [Token], into api: APIFixture) async throws {
    try await api.application.database.write(about: .all) { tx in for token in tokens { try tx.insert(token) } }
  }

  @Test func `a token that would outlive all numbers lasts as long as they do`() throws {
    let api = try APIFixture(clock: SettableClock(.max - 1000))
    #expect(api.application.tokenIssuer.issue(for: 1).token.expiresAt == .max)
  }

  @Test func `only digests of tokens are kept`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let found = try await api.number("SELECT count(*) FROM tokens WHERE length(digest) = 32")
    #expect(found == 1)
    for file in try api.folder.files(in: "") {
      let bytes = try api.folder.bytes(of: file)
      #expect(bytes.firstRange(of: Array(token.utf8)) == nil, "the token stands in \(file)")
    }
  }
}
