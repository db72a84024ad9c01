import APITestSupport
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// Each event that concerns the security of accounts is one line of the log.
@Suite struct SecurityLogTests {
  /// The lines of one event.
  private func lines(_ api: APIFixture, _ event: SecurityEvent) -> [String] {
    api.log.lines.filter { $0.hasPrefix("notice \(event.message)") && $0.contains("\"event\": \(event.rawValue)") }
  }

  @Test func `accounts, passwords and ends of sessions`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    #expect(lines(api, .newAccount).count == 1)
    let token = try await api.signIn()
    _ = await api.attemptSignIn(password: "secret99")
    #expect(lines(api, .wrongPassword).count == 1)
    _ = await api.attemptSignIn("nobody@example.com")
    _ = await api.get("/api/get_token?email=nobody@example.com", as: .app)
    #expect(lines(api, .unknownAccount).count == 2)
    _ = await api.resetPassword(to: "secret97", as: .holder(of: token))
    #expect(lines(api, .passwordChanged).count == 1)
    let next = try await api.signIn(password: "secret97")
    _ = await api.get("/api/clear_token", as: .holder(of: next))
    #expect(lines(api, .signedOut).count == 1)

    let events = api.log.lines.filter { $0.contains("\"event\"") }
    #expect(events.count == 6)
    for line in events where !line.contains("unknown_account") { #expect(line.contains("\"user_id\": 1")) }
    for line in events { #expect(line.contains("\"peer\": 127.0.0.1")) }
    for secret in ["@example.com", "secret", token, next, APIFixture.authPassword] {
      #expect(!api.log.lines.contains { $0.contains(secret) }, "\(secret)")
    }
  }

  @Test func `a guess that was refused is told apart from a wrong one`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for _ in 0..<12 { _ = await api.attemptSignIn(password: "secret99") }
    #expect(lines(api, .wrongPassword).count == 10)
    #expect(lines(api, .refusedGuess).count == 2)
    #expect(lines(api, .refusedGuess).allSatisfy { $0.contains("\"user_id\": 1") })
  }

  @Test func `the API's own password, with the client's address behind a proxy and the request's id`() async throws {
    let api = try APIFixture { $0.trustedProxies = TrustedProxies("10.0.0.0/8") ?? .none }
    for (forwarded, client) in [
      ("198.51.100.7", "198.51.100.7"), ("1.2.3.4, 2001:db8::1", "2001:db8::1"), ("unknown", nil), ("10.0.0.1", nil),
    ] as [(String, String?)] {
      let context = RequestContext()
      let fields = [
        (name: "Host", value: "h"), (name: "Authorization", value: "Basic bm9ib2R5Ondyb25n"),
        (name: "X-Forwarded-For", value: forwarded), (name: "X-Request-Id", value: "abc-\n1"),
      ]
      let request = Request("GET", "/api/get_token?email=a", fields: fields, peer: "10.0.0.1")
      _ = await api.application.respond(Request(head: request.head, body: .none, peer: request.peer, context: context))
      let line = try #require(lines(api, .wrongAPIPassword).last)
      #expect(line.contains("\"peer\": 10.0.0.1") && line.contains("\"request_id\": abc-1"))
      #expect(client.map { line.contains("\"client\": \($0)") } ?? !line.contains("client"))
    }
    #expect(lines(api, .wrongAPIPassword).count == 4)
  }

  @Test func `too many sign-ups`() async throws {
    let api = try APIFixture()
    let body = #"{"full_name":"J","email":"x","password":"y"}"#
    for _ in 0...AttemptCounts.maxSignups {
      _ = await api.send("POST", "/api/signup", as: .app, body: body, from: "198.51.100.7")
    }
    #expect(lines(api, .refusedSignup).count == 1)
  }

  @Test(arguments: [
    ("jane@example.com", "j…@example.com"), ("é@x", "é…@x"), ("a@b@c", "a…@c"), ("", "…"), ("jane", "j…"),
  ])
  func `an email address is masked`(email: String, masked: String) {
    #expect(SecurityLog.masked(email) == masked)
  }
}
