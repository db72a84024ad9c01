import APITestSupport
import HTTPMessages
import SQLite
import Testing

@testable import SelfieAPI

/// Signing in while the account changes.
@Suite(.timeLimit(.minutes(10))) struct PasswordRaceTests {
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
