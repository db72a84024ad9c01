import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// Requests whose token is ended while they are under way.
@Suite(.timeLimit(.minutes(5))) struct EndedTokenTests {
  private func signOut(_ token: String, of api: APIFixture) async throws {
    try #require(await api.get("/api/clear_token", as: .holder(of: token)).status == .ok)
  }

  private func expectDenied(_ response: Response) {
    #expect(response.status == .unauthorized)
    #expect(response.message == "HTTP Token: Access denied.")
    #expect(response.fields["X-Error"] == "invalid_token")
    #expect(response.fields["WWW-Authenticate"] == "Token realm=\"Application\"")
  }

  // MARK: - Uploads

  /// `PhotoWritesTests` has whatever else ends a token.
  @Test func `an upload whose token is ended meanwhile is refused and leaves nothing`() async throws {
    let (api, token) = try await APIFixture.withUser()
    expectDenied(try await api.upload(token: token) { try await signOut(token, of: api) })
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
    #expect(try api.folder.files(in: "photos") == [])
    #expect(try api.folder.files(in: "incoming") == [])
  }

  @Test func `an upload goes on while another token of the user is cleared, and while its own expires`() async throws {
    let (api, token) = try await APIFixture.withUser { $0.tokenLifetime = 60 }
    let other = try await api.signIn()
    let response = try await api.upload(token: token) {
      try await signOut(other, of: api)
      api.clock.advance(seconds: 60)
    }
    #expect(response.status == .ok)
    #expect(try api.count("SELECT count(*) FROM photos") == 1)
  }

  // MARK: - Other requests

  @Test func `what waits to be written when its token is cleared is refused`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let id = try await api.newPhoto(token: token)
    let responses = try await api.queued([
      { await api.get("/api/clear_token", as: .holder(of: token)) },
      { await api.deletePhoto(id, token: token) },
      { await api.resetPassword(as: .holder(of: token)) },
      { await api.upload(token: token) },
    ])
    try #require(responses[0].status == .ok)
    for response in responses[1...] { expectDenied(response) }
    #expect(try api.count("SELECT count(*) FROM photos") == 1)
    #expect(try api.count("SELECT count(*) FROM tokens") == 0)
    _ = try await api.signIn()
  }

  /// One of them deletes the token, and the other finds nothing to write.
  @Test func `two sign-outs at once are both refused if the token cannot be deleted`() async throws {
    let (api, token) = try await APIFixture.withUser()
    try await api.database.write { connection in
      try connection.execute("CREATE TRIGGER full BEFORE DELETE ON tokens BEGIN SELECT RAISE(ROLLBACK, 'full'); END")
    }
    let signOut = { @Sendable in await api.get("/api/clear_token", as: .holder(of: token)) }
    let responses = try await api.queued([signOut, signOut])
    #expect(responses.map(\.status) == [.internalServerError, .internalServerError])
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).status == .ok)
  }

  @Test(arguments: [GetTokenPolicy.email, .password])
  func `signing in with a password that is being replaced gives no token that outlives it`(
    _ policy: GetTokenPolicy
  ) async throws {
    let (api, token) = try await APIFixture.withUser { $0.getToken = policy }
    let known = ["email": "jane@example.com", "password": APIFixture.encrypt(APIFixture.password)]
    let responses = try await api.queued([
      { await api.resetPassword(as: .holder(of: token)) }, { await api.attemptSignIn() },
      { await api.send("GET", "/api/get_token", as: .app, known) },
    ])
    try #require(responses[0].status == .ok)
    #expect(responses[1].status == .unauthorized)
    #expect(responses[1].message == "Wrong Password")
    // Where get_token asks for no password, it matters to it as little that this one has changed.
    #expect(responses[2].status == (policy == .email ? .ok : .unauthorized))
    #expect(try api.count("SELECT count(*) FROM tokens") == (policy == .email ? 2 : 1))
  }
}
