import HTTPMessages
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
      #expect(again.text.hasPrefix(#"{"status":401,"message":"This link was used before"#), "\(again.text)")
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

  @Test func `wrong links are made to wait, and do not keep the owner out`() async throws {
    let link = try await owner.link()
    for _ in 0..<OwnerSessions.maxFailures { #expect(await owner.begin("guess").status == .unauthorized) }
    let refused = await owner.begin("guess")
    #expect(refused.status == .tooManyRequests)
    #expect(refused.fields["Retry-After"] == "60")
    #expect(await owner.begin(link).status == .ok)
  }

  @Test func `the log has each link that is made, used or refused, and no secret`() async throws {
    func lines(_ words: String) -> Int { owner.api.log.lines.count { $0.contains(words) } }
    let link = try await owner.link()
    let cookie = try #require(await owner.begin(link).fields["Set-Cookie"]?.split(separator: ";").first)
    #expect(lines("owner's command: owner ") == 1 && lines("owner's page opened") == 1)
    #expect(lines("owners_link_refused") == 0)
    _ = await owner.begin(link)
    _ = await owner.begin("a-guess")
    let expired = try await owner.link()
    owner.clock.advance(milliseconds: 5 * 60_000)
    _ = await owner.begin(expired)
    #expect(lines("\"event\": owners_link_refused") == 3)
    for secret in [link, expired, "a-guess", String(cookie.split(separator: "=")[1])] { #expect(lines(secret) == 0) }
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
}
