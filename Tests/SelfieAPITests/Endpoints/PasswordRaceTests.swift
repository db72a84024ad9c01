import APITestSupport
import HTTPMessages
import Platform
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI

/// Signing in while the account changes.
@Suite(.timeLimit(.minutes(10))) struct PasswordRaceTests {
  /// Runs `requests` one after the other up to their writes, which then happen in this order.
  private func queued(
    in api: APIFixture, _ requests: [@Sendable () async -> Response]
  ) async throws -> [Response] {
    let (isHeld, release) = (Gate(), Semaphore())
    let database = api.database
    async let holding: Void = database.write { _ in
      isHeld.open()
      release.wait()
    }
    await isHeld.wait()
    let responses = try await withThrowingTaskGroup(of: (Int, Response).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { (index, await request()) }
        try await waitUntil { database.waitingWrites > index }
      }
      release.signal()
      return try await group.reduce(into: [(Int, Response)]()) { $0.append($1) }
    }
    try await holding
    return responses.sorted { $0.0 < $1.0 }.map(\.1)
  }

  @Test(arguments: [GetTokenPolicy.email, .password])
  func `signing in with a password that is being replaced gives no token that outlives it`(
    _ policy: GetTokenPolicy
  ) async throws {
    let api = try APIFixture { $0.getToken = policy }
    let token = try await api.newUser()
    let old = APIFixture.encrypt(APIFixture.password)
    let responses = try await queued(
      in: api,
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

  @Test func `an account that is gone meanwhile gets no token`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let user = try #require(try api.application.users.find(email: "jane@example.com"))
    try await api.database.write { try $0.run("DELETE FROM users") }
    for checkedPassword in [false, true] {
      let token = api.application.makeToken(for: user.id).token
      #expect(try await !api.application.users.issue(token, to: user, checkedPassword: checkedPassword))
    }
    #expect(try api.count("SELECT count(*) FROM tokens") == 0)
  }
}
