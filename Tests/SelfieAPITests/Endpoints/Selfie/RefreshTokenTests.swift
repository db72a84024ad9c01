import APITestSupport
import HTTPMessages
import Platform
import SQL
import SelfieTestControl
import Testing

@testable import SelfieAPI

/// refresh_token: what it gives, to whom, and what ends the right to it.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct RefreshTokenTests {
  private static let day: Int64 = 86_400

  private func refresh(_ api: APIFixture, _ token: String) async -> Response {
    await api.send("POST", "/api/refresh_token", as: .bearer(of: token), [:])
  }

  /// Refreshes a token that can be refreshed, and returns the new one.
  private func renewed(_ api: APIFixture, _ token: String) async throws -> String {
    let response = await refresh(api, token)
    try #require(response.status == .ok, "\(response.text)")
    return try #require(response.member("api_authtoken"))
  }

  private func expectNoRefresh(_ api: APIFixture, _ token: String) async {
    let response = await refresh(api, token)
    #expect(response.status == .forbidden)
    #expect(response.fields["X-Error"] == "not_refreshable")
    #expect(response.fields["WWW-Authenticate"] == nil)
  }

  // MARK: - What it gives

  @Test func `a refresh responds with the five members of signin`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    api.clock.advance(seconds: Self.day)
    let response = await refresh(api, token)
    let new = try #require(response.member("api_authtoken"))
    #expect(response.status == .ok)
    #expect(new != token && new.wholeMatch(of: /[A-Za-z]{24}[0-9a-f]{64}/) != nil)
    let members = [
      #""first_name":"Jane""#, #""last_name":"Doe""#, #""email":"jane@example.com""#, #""api_authtoken":"\#(new)""#,
      #""authtoken_expiry":"2026-11-22T22:24:16.641Z""#,
    ]
    #expect(response.text == "{\(members.joined(separator: ","))}")
    #expect(await api.isAccepted(new))
  }

  @Test(arguments: ["Bearer ", "bearer ", "Token token=", "Token "], ["", ".json", "/"])
  func `every form of a token and of the address is taken`(_ scheme: String, _ suffix: String) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let response = await api.application.respond(
      Request("POST", "/api/refresh_token\(suffix)", fields: [("Host", "h"), ("Authorization", scheme + token)]))
    #expect(response.status == .ok)
  }

  @Test func `only a POST refreshes`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    #expect(await api.get("/api/refresh_token", as: .bearer(of: token)).status == .notFound)
    let options = await api.send("OPTIONS", "/api/refresh_token", as: .nobody, [:])
    #expect(options.fields["Allow"] == "OPTIONS, POST")
  }

  @Test func `a refresh may come with a form, as Alamofire sends it`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    api.clock.advance(seconds: Self.day)
    _ = try await api.signIn()
    let fields = [
      ("Host", "h"), ("Authorization", "Bearer \(token)"), ("Content-Type", "application/x-www-form-urlencoded"),
    ]
    let response = await api.application.respond(
      Request("POST", "/api/refresh_token", fields: fields, body: Array("a=b".utf8)))
    #expect(response.status == .ok)
  }

  // MARK: - For how long

  @Test func `an expired token can be refreshed for thirty days`() async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    let (first, second) = (try await api.newUser(), try await api.signIn())
    api.clock.advance(milliseconds: 60_000 + 30 * Self.day * 1000)
    _ = try await renewed(api, first)
    api.clock.advance(milliseconds: 1)
    await expectNoRefresh(api, second)
  }

  @Test(arguments: [0, 10, 60 * day])
  func `the owner chooses for how long`(_ lifetime: Int64) async throws {
    let api = try APIFixture {
      $0.tokenLifetime = 60
      $0.refreshLifetime = lifetime
    }
    let tokens = [try await api.newUser(), try await api.signIn(), try await api.signIn()]
    api.clock.advance(milliseconds: 59_999)
    _ = try await renewed(api, tokens[0])
    api.clock.advance(milliseconds: lifetime * 1000)
    try await api.application.prune()
    _ = try await renewed(api, tokens[1])
    api.clock.advance(milliseconds: 2)
    try await api.application.prune()
    await expectNoRefresh(api, tokens[2])
  }

  @Test func `a client that refreshes goes on for years`() async throws {
    let api = try APIFixture()
    var token = try await api.newUser()
    for _ in 0..<40 {
      api.clock.advance(seconds: 30 * Self.day)
      try await api.application.prune()
      token = try await renewed(api, token)
    }
    #expect(await api.isAccepted(token))
    // With the family's first one, which is retired.
    #expect(try await api.application.database.number(Query("SELECT count(*) FROM tokens")) == 3)
  }

  // MARK: - Once more

  @Test func `five requests with one token are each given a token of their own`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    api.clock.advance(seconds: Self.day)
    let responses = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<5 { group.addTask { await refresh(api, token) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let new = Set(responses.compactMap { $0.member("api_authtoken") })
    #expect(new.count == 5 && !new.contains(token))
    for token in new { #expect(await api.isAccepted(token)) }
  }

  @Test func `a token can be refreshed once more for a minute, and ends its family after that`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let other = try await api.signIn()
    let first = try await renewed(api, token)
    api.clock.advance(milliseconds: 59_999)
    let second = try await renewed(api, token)
    let third = try await renewed(api, first)
    api.clock.advance(milliseconds: 1)

    let reuse = await refresh(api, token)
    #expect(reuse.status == .unauthorized)
    #expect(reuse.fields["X-Error"] == "reused_token")
    for ended in [token, first, second, third] {
      #expect(await !api.isAccepted(ended))
      // Not 401: a client that refreshes on each 401 must come to an end.
      await expectNoRefresh(api, ended)
    }
    #expect(await api.isAccepted(other))
    _ = try await renewed(api, other)
  }

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
      try await api.application.prune()
      thiefs = try await renewed(api, thiefs)
    }
    for _ in 0..<70 {
      api.clock.advance(milliseconds: 1)
      thiefs = try await renewed(api, thiefs)
    }
    api.clock.advance(seconds: 60)
    #expect(
      try await api.application.database.number(Query("SELECT count(*) FROM tokens WHERE is_retired = 1"))
        <= TokenStore.maxPerFamily)

    let reuse = await refresh(api, stolen)
    #expect(reuse.status == .unauthorized)
    #expect(reuse.fields["X-Error"] == "reused_token")
    #expect(api.log.lines.contains { $0.contains("token that was refreshed long ago") })
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
    try await api.application.prune()
    for token in [token, other] { await expectNoRefresh(api, token) }
    #expect(await api.isAccepted(late))
  }

  @Test func `a token that names no family, or one without its first token, is unknown`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let letters = String(repeating: "a", count: Token.length)
    let unrefreshed = Hex.encode(Token.digest(of: Array(token.utf8)))
    for name in [String(repeating: "0", count: 64), "x", String(decoding: unrefreshed, as: UTF8.self)] {
      await expectNoRefresh(api, letters + name)
    }
    #expect(await api.isAccepted(token))
  }

  @Test func `a token that was refreshed works for a minute longer`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
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
    let target = "/api/get_token?email=jane@example.com"
    let got = await api.get(target, as: .app)
    let tag = try #require(got.fields["ETag"])
    #expect(await api.get(target, as: .app, fields: [("If-None-Match", tag)]).status == .notModified)
    _ = try await renewed(api, try #require(got.member("api_authtoken")))
    #expect(await api.get(target, as: .app, fields: [("If-None-Match", tag)]).status == .ok)
  }

  // MARK: - What is under way

  @Test func `an upload goes on while its token is refreshed again and again`() async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    let first = try await api.newUser()
    let body = HeldBody(MultipartBody.upload(Samples.bytes(500_000), title: "me"))
    async let upload = api.upload(RequestBody(length: nil, source: body), token: first)
    await body.reachesMiddle()
    var token = first
    for _ in 0..<60 {
      api.clock.advance(seconds: 60)
      token = try await renewed(api, token)
    }
    body.goOn()
    #expect(await upload.status == .ok)
    #expect(try await api.application.database.number(Query("SELECT count(*) FROM photos")) == 1)
  }

  @Test(.fileOnly) func `an upload of a family that has ended is refused`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let new = try await renewed(api, token)
    let body = HeldBody(MultipartBody.upload(Samples.bytes(500_000), title: "me"))
    async let upload = api.upload(RequestBody(length: nil, source: body), token: new)
    await body.reachesMiddle()
    api.clock.advance(seconds: 60)
    #expect(await refresh(api, token).status == .unauthorized)
    body.goOn()
    #expect(await upload.status == .unauthorized)
    #expect(try api.folder.files(in: "photos") == [])
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

  @Test func `signing out with an expired token says what Rails said, and ends its refresh`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    api.clock.advance(seconds: Self.day)
    let response = await api.get("/api/clear_token", as: .holder(of: token))
    #expect(response.status == .unauthorized)
    #expect(response.message == "You don't have permission to do this task")
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).fields["X-Error"] == "expired_token")
    await expectNoRefresh(api, token)
    _ = try await api.signIn()
    await expectNoRefresh(api, token)
  }

  @Test func `signing out after a sign-in elsewhere ends the refresh of the expired token`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    api.clock.advance(seconds: Self.day)
    let other = try await api.signIn()
    let response = await api.get("/api/clear_token", as: .holder(of: token))
    #expect(response.fields["X-Error"] == "invalid_token")
    await expectNoRefresh(api, token)
    _ = try await renewed(api, other)
  }

  @Test func `a new password ends every refresh but that of its own token`() async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    let retired = try await api.newUser()
    api.clock.advance(seconds: 60)
    let (phone, tablet) = (try await api.signIn(), try await api.signIn())
    let response = await api.send(
      "POST", "/api/reset_password", as: .bearer(of: phone),
      ["old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt("another1")])
    for token in [retired, phone, tablet] { await expectNoRefresh(api, token) }
    _ = try await renewed(api, try #require(response.member("api_authtoken")))
  }

  @Test(.fileOnly) func `what waits to be cleared when its token is refreshed is cleared with the new one`()
    async throws
  {
    let api = try APIFixture()
    let token = try await api.newUser()
    let responses = try await api.queued([
      { await refresh(api, token) }, { await api.get("/api/clear_token", as: .holder(of: token)) },
    ])
    #expect(responses.map(\.status) == [.ok, .ok])
    #expect(try api.count("SELECT count(*) FROM tokens") == 0)
  }

  // MARK: - Failures

  @Test(.fileOnly) func `a refresh that cannot be stored changes nothing`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    api.clock.advance(seconds: Self.day)
    try await api.database.write { connection in
      try connection.execute("CREATE TRIGGER full BEFORE INSERT ON tokens BEGIN SELECT RAISE(ROLLBACK, 'full'); END")
    }
    #expect(await refresh(api, token).status == .internalServerError)
    #expect(try api.count("SELECT count(*) FROM tokens WHERE refreshed_at IS NULL") == 1)
    try await api.database.write { try $0.execute("DROP TRIGGER full") }
    api.clock.advance(seconds: 60)
    _ = try await renewed(api, token)
  }

  @Test(.fileOnly) func `a refresh outlives the server`() async throws {
    let before = try APIFixture()
    let token = try await before.newUser()
    before.clock.advance(seconds: Self.day)
    let new = try await renewed(before, token)
    let after = try APIFixture(after: before)
    #expect(await after.isAccepted(new))
    _ = try await renewed(after, token)
    after.clock.advance(seconds: 60)
    #expect(await refresh(after, token).fields["X-Error"] == "reused_token")
    #expect(await !after.isAccepted(new))
  }
}
