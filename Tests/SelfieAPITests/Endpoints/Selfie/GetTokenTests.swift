import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// GET /api/get_token, conditionally.
@Suite struct GetTokenTests {
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

  @Test func `a client that still has a living token is told so, and no other is made`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let known = try await issue(api)
    #expect(known.tag.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)

    let response = await ask(api, knowing: known.tag)
    #expect(response.status == .notModified)
    #expect(response.fields["ETag"] == known.tag)
    #expect(response.content.isEmpty)
    #expect(try api.count("SELECT count(*) FROM tokens") == 1)
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
}
