import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// Refreshes and the control interface.
@Suite(.timeLimit(.minutes(5))) struct RefreshStateTests {
  private func refresh(_ api: APIFixture, _ token: String) async -> Response {
    await api.send("POST", "/api/refresh_token", as: .bearer(of: token), [:])
  }

  @Test func `an import after a reset brings every right to refresh back`() async throws {
    let api = try APIFixture()
    let retired = try await api.newUser()
    api.clock.advance(seconds: 86_400)
    let refreshed = try await api.signIn()
    #expect(await refresh(api, refreshed).status == .ok)
    let document = try await api.state.exportState()
    #expect(document.tokens.map(\.isRetired) == [true, false, false])
    try await api.state.reset()
    #expect(await refresh(api, retired).status == .forbidden)
    #expect(try api.count("SELECT count(*) FROM tokens") == 0)
    try await api.state.importState(document)
    #expect(try await api.state.exportState() == document)
    #expect(await refresh(api, retired).status == .ok)
    #expect(await refresh(api, refreshed).status == .ok)
    api.clock.advance(seconds: 60)
    #expect(await refresh(api, refreshed).fields["X-Error"] == "reused_token")
  }

  @Test func `a token without a family in a state can be refreshed`() async throws {
    let fixture = try Fixture()
    let digest = String(repeating: "ab", count: 32)
    let imported = await fixture.send(
      "POST", "/__admin/state",
      """
      {"users":[{"id":1,"email":"jane@example.com","password_hash":"$2b$04$abcdefghijklmnopqrstuuJ0Z1Zb1Zb1Zb1Zb1Zb1Zb1Zb1Zb1Zb1"}],
       "tokens":[{"digest":"\(digest)","user_id":1,"expires_at":"2030-01-01T00:00:00Z"}]}
      """)
    #expect(imported.status == 200, "\(imported.text)")
    let exported = await fixture.send("GET", "/__admin/state")
    #expect(exported.text.contains(#""family":"\#(digest)","refreshed_at":null"#), "\(exported.text)")
    #expect(await fixture.send("POST", "/__admin/state", exported.text).status == 200)
    #expect(await fixture.send("GET", "/__admin/state").text == exported.text)
  }
}
