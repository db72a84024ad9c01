import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// The limits on attempts are those of the Selfie app, with counts that the apps share for clients, and not for accounts.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct MicroblogLimitsTests {
  private static let client = "198.51.100.7"

  private func send(
    _ path: String, _ name: String, _ password: String, from peer: String, _ api: APIFixture
  ) async -> Response {
    await api.send("POST", path, body: #"{"name":"\#(name)","password":"\#(password)"}"#, from: peer)
  }

  @Test func `registrations count as sign-ups`() async throws {
    let api = try APIFixture()
    for _ in 0..<100 {
      #expect(await send("/users/register", "ada", "", from: Self.client, api).status == .badRequest)
    }
    let refused = await send("/users/register", "ada", "secret", from: Self.client, api)
    #expect(refused.status == .tooManyRequests)
    #expect(refused.member("status") == "failed")
    #expect(refused.fields["Retry-After"] == "600")
    let body = #"{"full_name":"J","email":"j@example.com","password":"x"}"#
    let signup = await api.send("POST", "/api/signup", as: .app, body: body, from: Self.client)
    #expect(signup.status == .tooManyRequests)
    #expect(await send("/users/register", "ada", "secret", from: "198.51.100.8", api).status == .ok)
  }

  @Test func `an unknown name costs a hash as a wrong password does, so that its time tells nothing`() async throws {
    let api = try APIFixture()
    #expect(await send("/users/register", "ada", "secret", from: Self.client, api).status == .ok)
    let hashes = api.application.passwords.hashes
    let before = hashes.reading.count
    for name in ["ada", "nobody"] {
      #expect(await send("/users/login", name, "x", from: Self.client, api).status == .unauthorized)
    }
    #expect(hashes.reading.count == before + 2)
  }

  @Test func `guesses at an account do not count for the account of the other app with its number`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    #expect(await send("/users/register", "ada", "secret", from: "127.0.0.1", api).status == .ok)
    for _ in 0..<10 { #expect(await send("/users/login", "ada", "x", from: "127.0.0.1", api).status == .unauthorized) }
    #expect(await send("/users/login", "ada", "secret", from: "127.0.0.1", api).status == .tooManyRequests)
    _ = try await api.signIn()
  }

  @Test func `guesses of a client count wherever it guesses`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for number in 0..<10 {
      #expect(await send("/users/login", "name \(number)", "x", from: Self.client, api).status == .unauthorized)
    }
    let notes = await api.send(
      "GET", "/notes.json?token=token", fields: [("Authorization", "Basic YTpi")], from: Self.client)
    #expect(notes.status == .tooManyRequests)
    #expect(notes.member("errors") == notes.message)
    #expect(notes.fields["Retry-After"] == "180")
  }

  @Test func `a user has 256 sessions at most, and the one not used for longest ends`() async throws {
    let api = try APIFixture()
    #expect(await send("/users/register", "ada", "secret", from: "127.0.0.1", api).status == .ok)
    var cookies: [String] = []
    for _ in 0..<258 {
      api.clock.advance(milliseconds: 1000)
      let response = await send("/users/login", "ada", "secret", from: "127.0.0.1", api)
      cookies.append(String(try #require(response.fields["Set-Cookie"]?.split(separator: ";").first)))
    }
    var statuses: [Status] = []
    for cookie in cookies { statuses.append(await api.get("/users", fields: [("Cookie", cookie)]).status) }
    #expect(statuses == [.forbidden, .forbidden] + [Status](repeating: .ok, count: 256))
  }
}
