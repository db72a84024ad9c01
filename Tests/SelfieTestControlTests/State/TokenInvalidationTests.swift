import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

@Suite struct TokenInvalidationTests {
  private func seeded() async throws -> APIFixture {
    let api = try APIFixture()
    _ = try await api.state.seed(
      Seed(users: [
        .init(email: "jane@example.com", tokens: ["jane-1", "jane-2", Seed.Token("jane-old", expiry: .at(0))]),
        .init(email: "joe@example.com", tokens: ["joe"]),
      ]))
    return api
  }

  private func reason(_ token: String, _ api: APIFixture) async -> String? {
    await api.get("/api/get_photos", as: .holder(of: token)).fields["X-Error"]
  }

  @Test func `tokens of a user expire, and of nobody else`() async throws {
    let api = try await seeded()
    #expect(try await api.state.expireTokens(email: "jane@example.com") == 2)
    for token in ["jane-1", "jane-2", "jane-old"] { #expect(await reason(token, api) == "expired_token") }
    #expect(await api.isAccepted("joe"))
    #expect(try await api.state.expireTokens() == 1)
    #expect(await reason("joe", api) == "expired_token")
    #expect(try await api.state.expireTokens() == 0)
  }

  @Test func `a token that was seeded as expired is remembered for thirty days`() async throws {
    let api = try await seeded()
    api.clock.advance(milliseconds: TokenStore.expiredRetention - 1)
    try await api.application.prune()
    #expect(await reason("jane-old", api) == "expired_token")
    api.clock.advance(milliseconds: 1)
    #expect(await reason("jane-old", api) == "invalid_token")
  }

  @Test func `tokens of a user are revoked, and of nobody else`() async throws {
    let api = try await seeded()
    #expect(try await api.state.revokeTokens(email: "jane@example.com") == 3)
    for token in ["jane-1", "jane-2", "jane-old"] { #expect(await reason(token, api) == "invalid_token") }
    #expect(await api.isAccepted("joe"))
    #expect(try await api.state.revokeTokens() == 1)
    #expect(await reason("joe", api) == "invalid_token")
  }

  @Test func `a user who is not there is named`() async throws {
    let api = try await seeded()
    let errors = [
      await #expect(throws: StateError.self) { try await api.state.expireTokens(email: "Jane@example.com") },
      await #expect(throws: StateError.self) { try await api.state.revokeTokens(email: "Jane@example.com") },
    ]
    for error in errors {
      #expect(error?.kind == .notFound)
      #expect(error?.description.contains("Jane@example.com") == true)
    }
    #expect(await api.isAccepted("joe"))
  }
}
