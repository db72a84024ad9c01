import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// How much is remembered of tokens that were replaced, and whose.
@Suite(.timeLimit(.minutes(5))) struct RefreshBoundsTests {
  private func getTokens(_ count: Int, _ api: APIFixture, seconds: Int64 = 1) async throws {
    for _ in 0..<count {
      api.clock.advance(seconds: seconds)
      try #require(await api.getToken().status == .ok)
    }
  }

  @Test func `another device's sign-ins end no device's right to refresh`() async throws {
    let (api, expired) = try await APIFixture.withUser()
    api.clock.advance(seconds: 86_400)
    let live = try await api.signIn()
    try await getTokens(600, api)
    for token in [expired, live] {
      #expect(await !api.isAccepted(token))
      let bearer = await api.get("/api/get_photos", as: .bearer(of: token))
      #expect(bearer.status == .unauthorized)
      #expect(bearer.fields["X-Error"] == "expired_token")
      #expect(await api.refresh(token).status == .ok)
    }
  }

  @Test func `another device's refreshes end neither a token nor the right to refresh it`() async throws {
    let api = try APIFixture()
    let (live, rogue) = (try await api.newUser(), try await api.signIn())
    for _ in 0..<400 {
      api.clock.advance(milliseconds: 1)
      _ = await api.refresh(rogue)
    }
    #expect(await api.isAccepted(live))
    #expect(await api.refresh(live).status == .ok)
    #expect(try api.count("SELECT count(*) FROM tokens WHERE state = 0") <= 34)
    #expect(try api.count("SELECT count(*) FROM tokens WHERE state = 1") <= TokenStore.maxPerFamily)
  }

  @Test func `what is remembered of a user is bounded, and the oldest goes first`() async throws {
    let (api, first) = try await APIFixture.withUser { $0.tokenLifetime = 1 }
    try await getTokens(Int(TokenStore.maxRetiredPerUser), api)
    #expect(await api.refresh(first).status == .ok)
    try await getTokens(Int(TokenStore.maxRetiredPerUser) + 1, api)
    #expect(await api.refresh(first).status == .forbidden)
    #expect(try api.count("SELECT count(*) FROM tokens WHERE state = 1") == TokenStore.maxRetiredPerUser)
  }

  @Test(.fileOnly) func `a token that a sign-in retires while it waits to be cleared is forgotten`() async throws {
    let (api, token) = try await APIFixture.withUser()
    api.clock.advance(seconds: 86_400)
    let responses = try await api.queued([
      { await api.attemptSignIn() }, { await api.get("/api/clear_token", as: .holder(of: token)) },
    ])
    #expect(responses.map(\.status) == [.ok, .unauthorized])
    #expect(try api.count("SELECT count(*) FROM tokens") == 1)
  }

  @Test func `a guess is looked up, and writes nothing`() async throws {
    let (api, token) = try await APIFixture.withUser()
    try await api.database.write { connection in
      try connection.execute("CREATE TABLE writes (n INTEGER)")
      for event in ["INSERT", "UPDATE", "DELETE"] {
        try connection.execute(
          "CREATE TRIGGER on_\(event) AFTER \(event) ON tokens BEGIN INSERT INTO writes VALUES (1); END")
      }
    }
    for guess in ["", "x", String(repeating: "x", count: 24), String(repeating: "x", count: 5000)] {
      #expect(await api.refresh(guess).status == .forbidden)
      let asToken = await api.send("POST", "/api/refresh_token", as: .holder(of: guess), [:])
      #expect(asToken.status == .unauthorized)
    }
    #expect(try api.count("SELECT count(*) FROM writes") == 0)
    #expect(await api.refresh(token).status == .ok)
    #expect(try api.count("SELECT count(*) FROM writes") == 2)
  }
}
