import HTTPMessages
import SelfieAPI
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

@Suite struct `Who may use the owner's page` {
  private let users = #"{"listUsers":{"limit":1}}"#
  private let owner: OwnerPageFixture

  init() async throws {
    owner = try OwnerPageFixture()
    try await owner.open()
  }

  private static func replaced(_ name: String, by value: String?) -> [OwnerPageFixture.Field] {
    OwnerPageFixture.ofPage.filter { $0.name != name } + (value.map { [(name: name, value: $0)] } ?? [])
  }

  @Test(arguments: [
    ("127.0.0.1", ("X-Forwarded-For", "192.0.2.1")), ("127.0.0.1", ("Via", "1.1 proxy")),
    // The word of a proxy that the owner has not named.
    ("127.0.0.1", ("X-Forwarded-Proto", "https")), ("192.0.2.1", ("X-Forwarded-Proto", "https")),
  ])
  func `plain HTTP through a proxy is refused`(peer: String, field: (String, String)) async throws {
    let fields = OwnerPageFixture.ofPage + [(name: field.0, value: field.1)]
    for (method, path) in [("GET", "/owner"), ("POST", "/owner/commands"), ("POST", "/owner/session")] {
      let response = await owner.send(method, path, fields: fields, peer: peer)
      #expect(response.status == .forbidden, "\(method) \(path)")
      #expect(response.text.hasPrefix(#"{"status":403,"message":"The owner's page takes HTTPS only"#))
    }
  }

  @Test(
    arguments: ["evil.example", "evil.example:3000", "localhost.evil.example", "192.0.2.1:3000", ""],
    ["127.0.0.1", "172.17.0.1", "192.0.2.2"])
  func `plain HTTP to any other name or address is refused`(host: String, peer: String) async throws {
    let fields = [(name: "Host", value: host), (name: "Origin", value: "http://\(host)")]
    #expect(await owner.send("GET", "/owner", fields: fields, peer: peer).status == .forbidden)
    #expect(await owner.run(users, fields: fields, peer: peer).status == .forbidden)
  }

  @Test func `a link can name where the owner's browser reaches the server`() async throws {
    for address in ["https://selfies.example", "https://selfies.example/", "http://localhost:8080", "http://[::1]:80"] {
      let link = await owner.console.reply(to: Array(#"{"openPage":{"address":"\#(address)"}}"#.utf8))
      let url = #"{"url":"\#(address.replacing(/\/$/, with: ""))/owner#"#
      #expect(link.json.starts(with: url.utf8), "\(link)")
    }
    for address in ["http://192.0.2.1:3000", "http://selfies.example", "localhost:3000", "ftp://localhost", ""] {
      let link = await owner.console.reply(to: Array(#"{"openPage":{"address":"\#(address)"}}"#.utf8))
      #expect(link.head.status == 400, "\(address)")
    }
  }

  @Test(arguments: [
    ("localhost:3000", "127.0.0.1"), ("127.0.0.1:3000", "127.0.0.1"), ("[::1]:3000", "::1"),
    // Ports that containers publish: the peers are the bridges of Docker and of podman.
    ("localhost:8080", "172.17.0.1"), ("127.0.0.1:8080", "10.88.0.1"),
  ])
  func `a browser that connected to its own machine is let in`(host: String, peer: String) async throws {
    let origin = "http://\(host)"
    let fields = [(name: "Host", value: host), (name: "Origin", value: origin)] + OwnerPageFixture.ofPage.dropFirst(2)
    try await owner.open(fields: fields, peer: peer)
    #expect(await owner.run(users, fields: fields, peer: peer).status == .ok)
  }

  @Test(arguments: [
    // The second is of a proxy that hides itself and asks for localhost.
    ("Origin", "http://evil.example"), ("Origin", "http://selfies.example"), ("Origin", "http://localhost:8080"),
    ("Origin", "https://localhost:3000"),
    ("Origin", "null"), ("Origin", nil), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
    ("Sec-Fetch-Site", "none"), ("X-Owner-Page", nil),
  ])
  func `a command that the page has not sent is refused`(name: String, value: String?) async throws {
    let fields = Self.replaced(name, by: value)
    let response = await owner.run(users, fields: fields)
    #expect(response.status == .forbidden)
    #expect(response.text == #"{"status":403,"message":"Only the owner's page itself may send this request."}"#)
    #expect(await owner.begin(try await owner.link(), fields: fields).status == .forbidden)
    #expect(await owner.run(users).text == #"{"summary":null,"total":0,"result":[]}"#)
    // A page of another site may link to the page.
    #expect(await owner.send("GET", "/owner", fields: fields).status == .ok)
  }

  @Test func `a trusted proxy may say that the client speaks HTTPS`() async throws {
    let owner = try OwnerPageFixture {
      $0.trustedProxies = TrustedProxies("10.0.0.1") ?? .none
      $0.publicURL = "https://selfies.example"
    }
    // The proxy asks for another host than the browser.
    let fields = [
      (name: "Host", value: "127.0.0.1:3000"), (name: "Origin", value: "https://selfies.example"),
      (name: "X-Forwarded-For", value: "192.0.2.1"), (name: "X-Owner-Page", value: "1"),
    ]
    let https = fields + [(name: "X-Forwarded-Proto", value: "https")]
    let body = #"{"link":"\#(try await owner.link())"}"#
    for refused in [fields, fields + [(name: "X-Forwarded-Proto", value: "http, https")]] {
      #expect(
        await owner.send("POST", "/owner/session", fields: refused, body: body, peer: "10.0.0.1").status == .forbidden)
    }
    let stranger = await owner.send("POST", "/owner/session", fields: https, body: body, peer: "10.0.0.2")
    #expect(stranger.status == .forbidden)
    let opened = await owner.send("POST", "/owner/session", fields: https, body: body, peer: "10.0.0.1")
    let cookie = try #require(opened.fields["Set-Cookie"])
    #expect(cookie.hasPrefix("__Host-selfie-owner="))
    #expect(cookie.contains("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200"))
    owner.cookie = cookie.split(separator: ";").first.map(String.init)
    #expect(await owner.run(users, fields: https, peer: "10.0.0.1").status == .ok)
  }

  @Test(arguments: [
    ("HTTPS", "192.0.2.1", true), ("https,http", "192.0.2.1, 10.0.0.2", true), ("https, http", "192.0.2.1", true),
    ("https,http", "192.0.2.1, 192.0.2.2", false), ("http,https", "192.0.2.1", false),
  ])
  func `the browser's scheme counts if all proxies after it are trusted`(
    schemes: String, hops: String, isOpen: Bool
  ) async throws {
    let owner = try OwnerPageFixture { $0.trustedProxies = TrustedProxies("10.0.0.0/24") ?? .none }
    let fields = [
      (name: "Host", value: "selfies.example"), (name: "X-Forwarded-For", value: hops),
      (name: "X-Forwarded-Proto", value: schemes),
    ]
    _ = try await owner.link()
    let response = await owner.send("GET", "/owner", fields: fields, peer: "10.0.0.1")
    #expect(response.status == (isOpen ? .ok : .forbidden))
    #expect(
      isOpen
        || response.text.contains("name all in TRUSTED_PROXIES, and make the first one send X-Forwarded-Proto: https."))
  }

  @Test func `the server's own TLS is enough`() async throws {
    let owner = try OwnerPageFixture { $0.usesTLS = true }
    let fields = Self.replaced("Origin", by: "https://localhost:3000")
    let opened = await owner.begin(try await owner.link(), fields: fields, peer: "192.0.2.1")
    #expect(opened.fields["Set-Cookie"]?.hasPrefix("__Host-selfie-owner=") == true)
  }

  @Test func `the link of a test server opens the inspector, whose requests have the cookie`() async throws {
    let owner = try OwnerPageFixture(opensInspector: true)
    let settings = owner.api.application.settings
    func mayInspect(_ fields: [OwnerPageFixture.Field]) -> Bool {
      let cookie = owner.cookie.map { [(name: "Cookie", value: $0)] } ?? []
      // As a container's published port leads it here.
      return owner.sessions.mayInspect(
        Request("GET", "/__admin/", fields: fields + cookie, peer: "172.17.0.1"), settings)
    }
    let local = [(name: "Host", value: "localhost:3000")]
    let link = try await owner.link()
    #expect(await owner.send("GET", "/owner").text.contains("/owner/files/door.js"))
    #expect(!mayInspect(local))
    let cookie = try #require(await owner.begin(link).fields["Set-Cookie"])
    #expect(cookie.contains("; Path=/__admin; HttpOnly; SameSite=Strict; Max-Age=43200"), "\(cookie)")
    owner.cookie = cookie.split(separator: ";").first.map(String.init)
    #expect(mayInspect(local) && !mayInspect([(name: "Host", value: "selfies.example")]))
    #expect(!self.owner.sessions.mayInspect(Request("GET", "/__admin/", fields: local), settings))
    owner.clock.advance(milliseconds: OwnerSessions.sessionLifetime)
    #expect(!mayInspect(local))
    // A session of the owner's page is none of the inspector's.
    try await self.owner.open()
    owner.cookie = self.owner.cookie
    let own = local + [(name: "Cookie", value: self.owner.cookie ?? "")]
    #expect(!self.owner.sessions.mayInspect(Request("GET", "/__admin/", fields: own), settings))
  }

  @Test func `nothing is shown without a session`() async throws {
    for cookie in [nil, "selfie-owner=", "selfie-owner=\(String(repeating: "0", count: 64))", "selfie-owner"] {
      owner.cookie = cookie
      let response = await owner.run(users)
      #expect(response.status == .unauthorized)
      #expect(response.text.hasPrefix(#"{"status":401,"message":"The session has ended."#))
    }
  }
}
