import APITestSupport
import HTTPMessages
import Platform
import Testing

@testable import SelfieAPI

/// refresh_token, beyond what `refresh_token.http` has: for how long, how often, and what ends the right to it.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct RefreshTokenTests {
  private static let day: Int64 = 86_400

  /// Refreshes a token that can be refreshed, and returns the new one.
  private func renewed(_ api: APIFixture, _ token: String) async throws -> String {
    let response = await api.refresh(token)
    try #require(response.status == .ok, "\(response.text)")
    return try #require(response.member("api_authtoken"))
  }

  private func expectNoRefresh(_ api: APIFixture, _ token: String) async {
    let response = await api.refresh(token)
    #expect(response.status == .forbidden)
    #expect(response.fields["X-Error"] == "not_refreshable")
    #expect(response.fields["WWW-Authenticate"] == nil)
  }

  // MARK: - For how long

  @Test(arguments: [nil, 0, 10, 60 * day] as [Int64?], [true, false])
  func `an expired token can be refreshed for thirty days, or as long as the owner chooses`(
    _ lifetime: Int64?, isPruned: Bool
  ) async throws {
    let api = try APIFixture {
      $0.tokenLifetime = 60
      if let lifetime { $0.refreshLifetime = lifetime }
    }
    let tokens = [try await api.newUser(), try await api.signIn(), try await api.signIn()]
    api.clock.advance(milliseconds: 59_999)
    _ = try await renewed(api, tokens[0])
    api.clock.advance(seconds: lifetime ?? 30 * Self.day)
    if isPruned { try await api.forgetExpired() }
    _ = try await renewed(api, tokens[1])
    api.clock.advance(milliseconds: 2)
    if isPruned { try await api.forgetExpired() }
    await expectNoRefresh(api, tokens[2])
  }

  @Test func `a client that refreshes goes on for years`() async throws {
    let api = try APIFixture()
    var token = try await api.newUser()
    for _ in 0..<40 {
      api.clock.advance(seconds: 30 * Self.day)
      try await api.forgetExpired()
      token = try await renewed(api, token)
    }
    #expect(await api.isAccepted(token))
    // With those before it since the last but one, and with the family's first one, which is retired.
    #expect(try await api.number("SELECT count(*) FROM tokens") == 4)
  }

  // MARK: - Once more

  /// With a token that the thief has taken when it had been refreshed `count` times.
  @Test(arguments: [0, 1, 40], [0, 61])
  func `a thief's refreshes cannot hide that a token is used twice`(_ count: Int, days: Int64) async throws {
    let api = try APIFixture()
    var stolen = try await api.newUser()
    for _ in 0..<count {
      api.clock.advance(seconds: 60)
      stolen = try await renewed(api, stolen)
    }
    var thiefs = stolen
    for _ in 0..<days {
      api.clock.advance(seconds: Self.day)
      try await api.forgetExpired()
      thiefs = try await renewed(api, thiefs)
    }
    for _ in 0..<70 {
      api.clock.advance(milliseconds: 1)
      thiefs = try await renewed(api, thiefs)
    }
    api.clock.advance(seconds: 60)
    #expect(
      try await api.number("SELECT count(*) FROM tokens WHERE state = 1")
        <= TokenStore.maxPerFamily)

    let reuse = await api.refresh(stolen)
    #expect(reuse.status == .unauthorized)
    #expect(reuse.fields["X-Error"] == "reused_token")
    #expect(api.log.lines.contains { $0.contains("a token was used again after it was refreshed") })
    #expect(await !api.isAccepted(thiefs))
    await expectNoRefresh(api, thiefs)
    await expectNoRefresh(api, stolen)
  }

  @Test func `a token that has expired for too long ends nothing, known or forgotten`() async throws {
    let api = try APIFixture()
    let token = try await renewed(api, try await api.newUser())
    let other = try await renewed(api, try await api.signIn())
    api.clock.advance(milliseconds: 31 * Self.day * 1000 + 1)
    await expectNoRefresh(api, token)
    let late = try await api.signIn()
    try await api.forgetExpired()
    for token in [token, other] { await expectNoRefresh(api, token) }
    #expect(await api.isAccepted(late))
  }

  @Test func `a token that names no family, or one without its first token, is unknown`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let letters = String(repeating: "a", count: Token.length)
    let unrefreshed = Hex.encode(Token.digest(of: Array(token.utf8)))
    for name in [String(repeating: "0", count: 64), "x", String(decoding: unrefreshed, as: UTF8.self)] {
      await expectNoRefresh(api, letters + name)
    }
    #expect(await api.isAccepted(token))
  }

  @Test func `a token that was refreshed works for a minute longer`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let new = try await renewed(api, token)
    api.clock.advance(milliseconds: 59_999)
    #expect(await api.isAccepted(token))
    api.clock.advance(milliseconds: 1)
    let late = await api.get("/api/get_photos", as: .bearer(of: token))
    #expect(late.status == .unauthorized)
    // A delayed request is no sign of theft.
    #expect(await api.isAccepted(new))
  }

  @Test func `get_token does not give a client back a token that was replaced`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let got = await api.getToken()
    let tag = try #require(got.fields["ETag"])
    #expect(await api.getToken([("If-None-Match", tag)]).status == .notModified)
    _ = try await renewed(api, try #require(got.member("api_authtoken")))
    #expect(await api.getToken([("If-None-Match", tag)]).status == .ok)
  }

  // MARK: - What is under way

  @Test func `an upload goes on while its token is refreshed again and again`() async throws {
    let (api, first) = try await APIFixture.withUser { $0.tokenLifetime = 60 }
    let response = try await api.upload(token: first) {
      var token = first
      for _ in 0..<60 {
        api.clock.advance(seconds: 60)
        token = try await renewed(api, token)
      }
    }
    #expect(response.status == .ok)
    #expect(try await api.number("SELECT count(*) FROM photos") == 1)
  }

  // MARK: - What ends it

  @Test func `signing out ends what came from the same sign-in, and nothing else`() async throws {
    let api = try APIFixture()
    let (phone, tablet) = (try await api.newUser(), try await api.signIn())
    let siblings = [try await renewed(api, phone), try await renewed(api, phone)]
    #expect(await api.get("/api/clear_token", as: .bearer(of: siblings[1])).status == .ok)
    for token in siblings + [phone] {
      #expect(await !api.isAccepted(token))
      await expectNoRefresh(api, token)
    }
    _ = try await renewed(api, tablet)
  }

  @Test func `signing out with an expired token ends its refresh, also after a sign-in elsewhere`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let retired = try await api.signIn()
    api.clock.advance(seconds: Self.day)
    #expect(await api.get("/api/clear_token", as: .holder(of: token)).fields["X-Error"] == "expired_token")
    await expectNoRefresh(api, token)
    let other = try await api.signIn()
    #expect(await api.get("/api/clear_token", as: .holder(of: retired)).fields["X-Error"] == "invalid_token")
    for token in [token, retired] { await expectNoRefresh(api, token) }
    _ = try await renewed(api, other)
  }

  @Test(.fileOnly) func `what waits to be cleared when its token is refreshed is cleared with the new one`()
    async throws
  {
    let (api, token) = try await APIFixture.withUser()
    let responses = try await api.queued([
      { await api.refresh(token) }, { await api.get("/api/clear_token", as: .holder(of: token)) },
    ])
    #expect(responses.map(\.status) == [.ok, .ok])
    #expect(try api.count("SELECT count(*) FROM tokens") == 0)
  }

  // MARK: - Failures

  @Test(.fileOnly) func `a refresh that cannot be stored changes nothing`() async throws {
    let (api, token) = try await APIFixture.withUser()
    api.clock.advance(seconds: Self.day)
    try await api.database.write { connection in
      try connection.execute("CREATE TRIGGER full BEFORE INSERT ON tokens BEGIN SELECT RAISE(ROLLBACK, 'full'); END")
    }
    #expect(await api.refresh(token).status == .internalServerError)
    #expect(try api.count("SELECT count(*) FROM tokens WHERE refreshed_at IS NULL") == 1)
    try await api.database.write { try $0.execute("DROP TRIGGER full") }
    api.clock.advance(seconds: 60)
    _ = try await renewed(api, token)
  }
}
