import APITestSupport
import HTTPMessages
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct `The sessions of the owner's page` {
  private let owner: OwnerPageFixture
  private let status = #"{"status":{}}"#

  init() throws {
    owner = try OwnerPageFixture()
  }

  @Test(arguments: ["/owner", "/owner/files/owner.js", "/owner/session", "/owner/commands"])
  func `there is no such address before a link was made`(path: String) async throws {
    #expect(await owner.send("GET", path).text == OwnerPageFixture.elsewhere)
    #expect(await owner.send("POST", path).text == OwnerPageFixture.elsewhere)
    _ = try await owner.link()
    #expect(await owner.send("GET", path).text != OwnerPageFixture.elsewhere)
    #expect(await owner.send("GET", "/up").text == OwnerPageFixture.elsewhere)
    #expect(await owner.send("GET", "/owners").text == OwnerPageFixture.elsewhere)
  }

  @Test func `a link opens the page once`() async throws {
    let link = try await owner.link()
    #expect(link.utf8.count == 64)
    let first = await owner.begin(link)
    #expect(first.status == .ok)
    let cookie = try #require(first.fields["Set-Cookie"])
    #expect(cookie.contains("; Path=/owner; HttpOnly; SameSite=Strict; Max-Age=43200"), "\(cookie)")
    for _ in 0..<2 {
      let again = await owner.begin(link)
      #expect(again.status == .unauthorized)
      #expect(again.fields["Set-Cookie"] == nil)
      #expect(again.text.hasPrefix(#"{"status":401,"message":"This link has been used"#), "\(again.text)")
    }
    owner.cookie = cookie.split(separator: ";").first.map(String.init)
    #expect(await owner.run(status).status == .ok)
  }

  @Test func `a link ends after five minutes`() async throws {
    let link = try await owner.link()
    owner.clock.advance(milliseconds: 5 * 60_000 - 1)
    #expect(owner.sessions.isOn)
    owner.clock.advance(milliseconds: 1)
    #expect(!owner.sessions.isOn)
    #expect(await owner.begin(link).text == OwnerPageFixture.elsewhere)
    // Another link brings the page back, but not the old one.
    _ = try await owner.link()
    #expect(await owner.begin(link).status == .unauthorized)
  }

  @Test func `a session ends after twelve hours`() async throws {
    try await owner.open()
    owner.clock.advance(milliseconds: 12 * 3_600_000 - 1)
    #expect(await owner.run(status).status == .ok)
    owner.clock.advance(milliseconds: 1)
    #expect(await owner.run(status).text == OwnerPageFixture.elsewhere)
    _ = try await owner.link()
    #expect(await owner.run(status).status == .unauthorized)
  }

  @Test func `the command ends all sessions and links`() async throws {
    try await owner.open()
    let link = try await owner.link()
    let ended = await owner.console.reply(to: Array(#"{"closePage":{}}"#.utf8))
    #expect(ended.json == Array(#"{"sessions":1}"#.utf8))
    #expect(await owner.send("GET", "/owner").text == OwnerPageFixture.elsewhere)
    _ = try await owner.link()
    #expect(await owner.begin(link).status == .unauthorized)
    #expect(await owner.run(status).status == .unauthorized)
  }

  @Test func `the page itself can be closed`() async throws {
    try await owner.open()
    let closed = await owner.send("DELETE", "/owner/session")
    #expect(closed.status == .ok)
    #expect(closed.fields["Set-Cookie"]?.contains("selfie-owner=; ") == true)
    #expect(await owner.run(status).text == OwnerPageFixture.elsewhere)
  }

  @Test func `the ninth session ends the first`() async throws {
    try await owner.open()
    let first = owner.cookie
    for _ in 0..<OwnerSessions.maxSessions { try await owner.open() }
    #expect(await owner.run(status).status == .ok)
    owner.cookie = first
    #expect(await owner.run(status).status == .unauthorized)
  }

  @Test func `who guesses is told to wait, and keeps nobody out`() async throws {
    let link = try await owner.link()
    for _ in 0..<OwnerSessions.maxFailures { #expect(await owner.begin("guess").status == .unauthorized) }
    let refused = await owner.begin("guess")
    #expect(refused.status == .tooManyRequests)
    #expect(refused.fields["Retry-After"] == "60")
    #expect(await owner.begin(link).status == .ok)
  }

  @Test func `a wrong, used or expired link is logged as a refused sign-in is, without its secret`() async throws {
    let refused = { [owner] in
      owner.api.log.lines.filter { $0.contains("\"event\": owners_link_refused") && $0.contains("\"peer\": 127.0.0.1") }
    }
    let link = try await owner.link()
    _ = await owner.begin(link)
    #expect(refused().isEmpty)
    _ = await owner.begin(link)
    _ = await owner.begin("a-guess")
    let expired = try await owner.link()
    owner.clock.advance(milliseconds: 5 * 60_000)
    _ = await owner.begin(expired)
    #expect(refused().count == 3)
    for secret in [link, expired, "a-guess"] { #expect(!owner.api.log.lines.contains { $0.contains(secret) }) }
  }

  @Test(arguments: ["", "[]", "{}", #"{"link":1}"#, String(repeating: "x", count: 2000)])
  func `what is no link is refused`(body: String) async throws {
    _ = try await owner.link()
    let response = await owner.send("POST", "/owner/session", body: body)
    #expect([400, 413].contains(response.status.code), "\(response.text)")
  }

  @Test(arguments: ["openPage", "closePage"]) func `links are made and ended only by the command line`(
    command: String
  ) async throws {
    try await owner.open()
    #expect(await owner.run(#"{"\#(command)":{}}"#).status == .forbidden)
  }

  @Test func `no secret of it is logged`() async throws {
    let link = try await owner.link()
    let cookie = try #require(await owner.begin(link).fields["Set-Cookie"])
    owner.cookie = cookie.split(separator: ";").first.map(String.init)
    #expect(await owner.run(status).status == .ok)
    let secret = try #require(owner.cookie?.split(separator: "=").last)
    let lines = owner.api.log.lines
    #expect(lines.contains { $0.contains("owner's command: owner ") })
    #expect(lines.contains { $0.contains("owner's page opened") })
    #expect(!lines.contains { $0.contains(link) || $0.contains(secret) })
  }
}
