import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// GET /api/get_token: conditionally, and as the owner allows it.
@Suite(.eachDatabase) struct GetTokenTests {
  /// A token, and the tag of the response that brought it.
  private func issue(_ api: APIFixture, email: String = "jane@example.com") async throws -> (
    token: String, tag: String
  ) {
    let response = await api.get("/api/get_token?email=\(email)", as: .app)
    try #require(response.status == .ok, "\(response.text)")
    return (try #require(response.member("api_authtoken")), try #require(response.fields["ETag"]))
  }

  private func ask(_ api: APIFixture, knowing tag: String, fields: [(name: String, value: String)] = []) async
    -> Response
  {
    await api.getToken([("If-None-Match", tag)] + fields)
  }

  @Test func `a token that has ended or expired is replaced`() async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    try await api.signUp()
    let ended = try await issue(api)
    _ = await api.get("/api/clear_token", as: .holder(of: ended.token))
    let expired = try await issue(api)
    api.clock.advance(seconds: 60)
    for known in [ended, expired] {
      let response = await ask(api, knowing: known.tag)
      #expect(response.status == .ok)
      #expect(await api.isAccepted(try #require(response.member("api_authtoken"))))
    }
  }

  @Test func `another user's tag is worth nothing, nor is one beside If-Modified-Since`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    try await api.signUp("john@example.com")
    let johns = try await issue(api, email: "john@example.com")
    #expect(await ask(api, knowing: johns.tag).status == .ok)
    let known = try await issue(api)
    let date = ("If-Modified-Since", "Fri, 20 Nov 2026 22:24:16 GMT")
    #expect(await ask(api, knowing: known.tag, fields: [date]).status == .ok)
  }

  @Test(arguments: [
    "*", "\"\"", "abc", "\"0123456789abcdef0123456789abcdef\"", "\"0123456789ABCDEF0123456789ABCDEG\"",
    "\"ffffffffffffffffffffffffffffffff\"", "\"0123456789abcdef0123456789abcde\u{e9}\"",
  ])
  func `a tag that is not of a token is passed over`(_ tag: String) async throws {
    let api = try APIFixture()
    try await api.signUp()
    _ = try await issue(api)
    #expect(await ask(api, knowing: tag).status == .ok)
  }

  // MARK: - The owner's policy

  private static let target = "/api/get_token?email=jane@example.com"

  private static func target(password: String) -> String {
    let encrypted = APIFixture.encrypt(password).replacing("+", with: "%2B").replacing("=", with: "%3D")
    return "\(target)&password=\(encrypted)"
  }

  @Test func `the user's password can be asked for`() async throws {
    let api = try APIFixture { $0.getToken = .password }
    try await api.signUp()
    let without = await api.get(Self.target, as: .app)
    #expect(without.status == .badRequest)
    #expect(without.member("message") == "required parameters are missing")
    let wrong = await api.get(Self.target(password: "secret99"), as: .app)
    #expect(wrong.status == .unauthorized)
    #expect(wrong.fields["X-Error"] == "wrong_password")
    let right = await api.get(Self.target(password: APIFixture.password), as: .app)
    #expect(right.status == .ok)
    #expect(await api.isAccepted(try #require(right.member("api_authtoken"))))
  }

  @Test func `a tag does not stand in for the password`() async throws {
    let api = try APIFixture { $0.getToken = .password }
    try await api.signUp()
    let first = await api.get(Self.target(password: APIFixture.password), as: .app)
    let tag = try #require(first.fields["ETag"])
    #expect(tag.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
    let known = [(name: "If-None-Match", value: tag)]
    #expect(await api.get(Self.target, as: .app, fields: known).status == .badRequest)
    #expect(await api.get(Self.target(password: "secret99"), as: .app, fields: known).status == .unauthorized)
    let again = await api.get(Self.target(password: APIFixture.password), as: .app, fields: known)
    #expect(again.status == .notModified && again.fields["ETag"] == tag && again.content.isEmpty)
    #expect(try await api.number("SELECT count(*) FROM tokens") == 1)
  }

  @Test func `it can be switched off`() async throws {
    let api = try APIFixture { $0.getToken = .off }
    try await api.signUp()
    let response = await api.get(Self.target(password: APIFixture.password), as: .app)
    #expect(response.status == .forbidden)
    #expect(response.fields["X-Error"] == "get_token_off")
    #expect(await api.get(Self.target).status == .unauthorized, "who has no API password is not told")
  }
}
