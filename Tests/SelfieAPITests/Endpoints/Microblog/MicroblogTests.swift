import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// The Microblog app, beyond what `microblog.http` has.
@Suite(.eachDatabase) struct MicroblogTests {
  /// A client with the cookie of its session.
  final class Client {
    let api: APIFixture
    var cookie: String?

    init(_ api: APIFixture) {
      self.api = api
    }

    func send(_ method: String, _ target: String, json: String = "", fields: [(String, String)] = []) async -> Response
    {
      let cookies = cookie.map { [("Cookie", "other=1; \($0)")] } ?? []
      let response = await api.send(method, target, fields: fields + cookies, body: json)
      if let set = response.fields["Set-Cookie"] { cookie = set.split(separator: ";").first.map(String.init) }
      return response
    }

    func register(_ name: String = "ada", password: String = "secret") async -> Response {
      await send("POST", "/users/register", json: #"{"name":"\#(name)","password":"\#(password)"}"#)
    }

    func login(_ name: String = "ada", password: String = "secret") async -> Response {
      await send("POST", "/users/login", json: #"{"name":"\#(name)","password":"\#(password)"}"#)
    }

    func post(_ text: String = "x", fields: [(String, String)] = []) async -> Response {
      await send("POST", "/blogposts", json: #"{"text":"\#(text)"}"#, fields: fields)
    }
  }

  /// A user who is logged in.
  private func client(adjust: (inout APISettings) -> Void = { _ in }) async throws -> Client {
    let client = Client(try APIFixture(adjust: adjust))
    try #require(await client.register().status == .ok)
    try #require(await client.login().status == .ok)
    return client
  }

  @Test func `passwords, names and texts may be as long as their limits`() async throws {
    let client = try await client()
    let password = String(repeating: "é", count: 36)
    #expect(await client.register("a", password: password).status == .ok)
    #expect(await client.register("b", password: password + "x").status == .badRequest)
    #expect(await client.register("b", password: "").status == .badRequest)
    #expect(await client.register(String(repeating: "é", count: 255)).status == .ok)
    #expect(await client.register(String(repeating: "e", count: 256)).status == .badRequest)
    #expect(await client.post(String(repeating: "x", count: 10_000)).status == .ok)
    #expect(await client.post(String(repeating: "x", count: 10_001)).status == .badRequest)
  }

  @Test func `a session that lives for minutes is kept alive by its use`() async throws {
    let client = try await client { $0.sessionLifetime = 600 }
    for _ in 0..<5 {
      client.api.clock.advance(seconds: 300)
      #expect(await client.send("GET", "/users").status == .ok)
    }
    client.api.clock.advance(seconds: 600)
    #expect(await client.send("GET", "/users").status == .forbidden)
  }

  @Test func `a session is found behind 49 other cookies of its name, which another page of the domain may set`()
    async throws
  {
    let client = try await client()
    let session = client.cookie ?? ""
    func plant(_ count: Int) {
      let others = (0..<count).map { "auth_tkt=\(String(repeating: "a", count: 30))\(10 + $0); " }
      client.cookie = others.joined() + session
    }
    plant(50)
    #expect(await client.send("GET", "/users").status == .forbidden)
    plant(49)
    #expect(await client.send("GET", "/users").status == .ok)
    #expect(await client.send("POST", "/users/logout").status == .ok)
    plant(0)
    #expect(await client.send("GET", "/users").status == .forbidden)
  }

  @Test(arguments: [
    ("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
  ])
  func `a page of another site cannot log in, post or log out`(name: String, value: String) async throws {
    let client = try await client()
    for path in ["/users/login", "/blogposts", "/users/logout"] {
      let refused = await client.send("POST", path, json: #"{"text":"x"}"#, fields: [(name, value)])
      #expect(refused.status == .forbidden)
      #expect(refused.fields["X-Error"] == "foreign_page")
      #expect(
        refused.text
          == #"{"status":"failed","message":"A page of another site has sent this request. If it was your own page, the proxy must pass on the Host field with its port: proxy_set_header Host $http_host."}"#
      )
    }
    #expect(await client.send("GET", "/users", fields: [(name, value)]).status == .ok)
    #expect(await client.send("GET", "/blogposts").text == #"{"data":{"blogposts":[]}}"#)
    let own = [("Origin", "https://selfies.example:3000"), ("Sec-Fetch-Site", "same-origin")]
    #expect(await client.post(fields: own).status == .ok)
  }

  @Test(arguments: [
    [("Origin", "https://own.example:18443"), ("Sec-Fetch-Site", "same-origin")],
    [("Origin", "https://microblog.example:18443")],
  ])
  func `its own page is none of another site, though the proxy changes Host`(fields: [(String, String)]) async throws {
    let client = try await client { $0.publicURL = "https://microblog.example:18443/blog" }
    #expect(await client.post(fields: fields).status == .ok)
    #expect(await client.post(fields: [("Origin", "https://microblog.example")]).status == .forbidden)
  }

  @Test func `the cookie is for https only where clients use https`() async throws {
    let client = try await client { $0.publicURL = "https://microblog.example" }
    #expect(await client.login().fields["Set-Cookie"]?.hasSuffix("; Secure") == true)
  }

  @Test func `accounts of the other apps are others`() async throws {
    let api = try APIFixture()
    try await api.signUp("jane@example.com")
    #expect(await Client(api).login("jane@example.com", password: APIFixture.password).status == .unauthorized)
  }
}
