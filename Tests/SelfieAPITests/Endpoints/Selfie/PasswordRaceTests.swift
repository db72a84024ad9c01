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
    let api = try APIFixture { $0.getToken = policy }
    let token = try await api.newUser()
    let old = APIFixture.encrypt(APIFixture.password)
    let responses = try await api.queued(
      [
        {
          await api.send(
            "POST", "/api/reset_password", as: .holder(of: token),
            ["old_password": old, "new_password": APIFixture.encrypt("another1")])
        },
        { await api.send("POST", "/api/signin", as: .app, ["email": "jane@example.com", "password": old]) },
        { await api.send("GET", "/api/get_token", as: .app, ["email": "jane@example.com", "password": old]) },
      ])
    try #require(responses[0].status == .ok)
    #expect(responses[1].status == .unauthorized)
    #expect(responses[1].message == "Wrong Password")
    // Where get_token asks for no password, it matters to it as little that this one has changed.
    #expect(responses[2].status == (policy == .email ? .ok : .unauthorized))
    #expect(try api.count("SELECT count(*) FROM tokens") == (policy == .email ? 2 : 1))
  }
}
