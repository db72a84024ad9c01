import APITestSupport
import HTTPMessages
import SQL
import Testing

@testable import SelfieAPI

/// What the Microblog app sends by RestKit, and what it gets.
@Suite(.eachDatabase) struct MicroblogTests {
  /// A client with the cookie of its session.
  final class Client {
    let api: APIFixture
    var cookie: String?

    init(_ api: APIFixture) {
      self.api = api
    }

    func send(
      _ method: String, _ target: String, json: String? = nil, fields others: [(String, String)] = []
    ) async -> Response {
      var fields = [("Host", "microblog.example"), ("Accept", "application/json")] + others
      if json != nil { fields.append(("Content-Type", "application/json")) }
      if let cookie { fields.append(("Cookie", "other=1; \(cookie)")) }
      let response = await api.application.respond(
        Request(method, target, fields: fields, body: Array((json ?? "").utf8)))
      if let set = response.fields["Set-Cookie"] { cookie = set.split(separator: ";").first.map(String.init) }
      return response
    }

    func register(_ name: String = "ada", password: String = "secret") async -> Response {
      await send("POST", "/users/register", json: #"{"name":"\#(name)","password":"\#(password)"}"#)
    }

    func login(_ name: String = "ada", password: String = "secret") async -> Response {
      await send("POST", "/users/login", json: #"{"name":"\#(name)","password":"\#(password)"}"#)
    }

    func post(_ text: String) async -> Response {
      await send("POST", "/blogposts", json: #"{"id":null,"created":null,"creator":null,"text":"\#(text)"}"#)
    }

    /// Registers, logs in and posts, and returns the post's id.
    func publish(_ text: String) async throws -> String {
      let response = await post(text)
      try #require(response.status == .ok, "\(response.text)")
      return try #require(response.member("id"))
    }
  }

  private func member(_ response: Response, _ list: String) -> [[String: ParameterValue]] {
    guard case .object(let body) = response.json, case .object(let data)? = body["data"],
      case .array(let elements)? = data[list]
    else { return [] }
    return elements.map { if case .object(let members) = $0 { members } else { [:] } }
  }

  private func texts(_ response: Response) -> [ParameterValue?] { member(response, "blogposts").map { $0["text"] } }

  @Test func `a user registers, is sent to the login, logs in, and posts`() async throws {
    let client = Client(try APIFixture())
    #expect(await client.send("GET", "/blogposts").text == #"{"data":{"blogposts":[]}}"#)
    let registered = await client.register()
    #expect(registered.status == .ok)
    #expect(registered.text == #"{"status":"success"}"#)
    let refused = await client.post("Hello")
    #expect(refused.status == .forbidden)
    #expect(refused.member("status") == "failed")
    let login = await client.login()
    #expect(login.text == #"{"status":"success"}"#)
    #expect(
      try #require(login.fields["Set-Cookie"]).wholeMatch(
        of: /auth_tkt=[A-Za-z]{32}; Path=\/; HttpOnly; SameSite=Lax/) != nil)
    let id = try await client.publish("Hello")
    #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    let posts = member(await client.send("GET", "/blogposts"), "blogposts")
    #expect(posts.count == 1)
    #expect(posts.first?["id"] == .string(id))
    #expect(posts.first?["creator"] == .string("ada"))
    #expect(posts.first?["text"] == .string("Hello"))
    guard case .string(let created)? = posts.first?["created"] else {
      Issue.record("created is no string")
      return
    }
    #expect(created.hasSuffix("Z") && created.count == 24)
  }

  @Test func `what a client says of id, time and author is ignored`() async throws {
    let api = try APIFixture()
    let client = Client(api)
    _ = await client.register()
    _ = await client.login()
    let response = await client.send(
      "POST", "/blogposts",
      json: #"{"id":"00000000-0000-4000-8000-000000000000","created":"1970","creator":"root","text":"x"}"#)
    #expect(response.member("id") != "00000000-0000-4000-8000-000000000000")
    let post = member(await client.send("GET", "/blogposts"), "blogposts").first
    #expect(post?["creator"] == .string("ada"))
    #expect(post?["created"] != .string("1970"))
  }

  @Test func `posts come newest first, in parts`() async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    _ = await client.login()
    var ids: [String] = []
    for number in 1...5 { ids.append(try await client.publish("\(number)")) }
    #expect(texts(await client.send("GET", "/blogposts?limit=2")) == [.string("5"), .string("4")])
    #expect(
      texts(await client.send("GET", "/blogposts?limit=2&before=\(ids[3])")) == [.string("3"), .string("2")])
    #expect(texts(await client.send("GET", "/blogposts?before=\(ids[0])")).isEmpty)
    #expect(await client.send("GET", "/blogposts?before=unknown").status == .notFound)
    for limit in ["0", "-1", "1001", "x", ""] {
      #expect(await client.send("GET", "/blogposts?limit=\(limit)").status == .badRequest)
    }
  }

  @Test func `the users are listed by name, for those who are logged in`() async throws {
    let client = Client(try APIFixture())
    for name in ["bob", "ada", "cy"] { #expect(await client.register(name).status == .ok) }
    let refused = await client.send("GET", "/users")
    #expect(refused.status == .forbidden)
    #expect(refused.member("status") == "failed")
    _ = await client.login()
    #expect(
      await client.send("GET", "/users").text == #"{"data":{"users":[{"name":"ada"},{"name":"bob"},{"name":"cy"}]}}"#)
    #expect(await client.send("GET", "/users?after=ada&limit=1").text == #"{"data":{"users":[{"name":"bob"}]}}"#)
  }

  @Test func `a taken name is 409`() async throws {
    let client = Client(try APIFixture())
    #expect(await client.register().status == .ok)
    let taken = await client.register(password: "other")
    #expect(taken.status == .conflict)
    #expect(taken.member("status") == "failed")
    #expect(taken.message?.isEmpty == false)
    #expect(await client.login(password: "other").status == .unauthorized)
    #expect(await client.login().status == .ok)
  }

  @Test(arguments: [
    #"{"name":"","password":"x"}"#, #"{"name":" ","password":"x"}"#, #"{"name":"a"}"#, #"{"password":"x"}"#,
    #"{"name":["a"],"password":"x"}"#, #"{"name":"a","password":{"b":1}}"#, #"{"name":"a","password":""}"#,
    #"{"name":"a\u0000","password":"x"}"#, #"{"name""#, "[]", "",
  ])
  func `a registration that is malformed is 400 in words`(json: String) async throws {
    let response = await Client(try APIFixture()).send("POST", "/users/register", json: json)
    #expect(response.status == .badRequest)
    #expect(response.member("status") == "failed")
    #expect(response.message?.isEmpty == false)
  }

  @Test func `a password has 1 to 72 bytes, and a name 255 characters`() async throws {
    let client = Client(try APIFixture())
    #expect(await client.register("a", password: String(repeating: "é", count: 36)).status == .ok)
    #expect(await client.register("b", password: String(repeating: "é", count: 36) + "x").status == .badRequest)
    #expect(await client.register(String(repeating: "é", count: 255)).status == .ok)
    #expect(await client.register(String(repeating: "e", count: 256)).status == .badRequest)
  }

  @Test func `a wrong name and a wrong password are told alike, and ten are too many`() async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    let unknown = await client.login("nobody")
    let wrong = await client.login(password: "wrong")
    #expect(unknown.status == .unauthorized && unknown.text == wrong.text)
    #expect(wrong.member("status") == "failed")
    for _ in 0..<9 { _ = await client.login(password: "wrong") }
    let refused = await client.login()
    #expect(refused.status == .tooManyRequests)
    #expect(refused.member("status") == "failed")
  }

  @Test func `a session ends by logout, and by thirty days without use`() async throws {
    let api = try APIFixture()
    let client = Client(api)
    _ = await client.register()
    _ = await client.login()
    let first = client.cookie
    #expect(await client.send("POST", "/users/logout").status == .ok)
    client.cookie = first
    #expect(await client.post("x").status == .forbidden)

    _ = await client.login()
    for _ in 0..<3 {
      api.clock.advance(milliseconds: 29 * 86_400_000)
      #expect(await client.post("x").status == .ok)
    }
    api.clock.advance(milliseconds: 30 * 86_400_000)
    #expect(await client.post("x").status == .forbidden)
    try await api.application.prune()
    #expect(try await api.application.database.rows(Query("SELECT 1 FROM microblog_sessions")).isEmpty)
  }

  @Test func `a session that lives for minutes is kept alive by its use`() async throws {
    let api = try APIFixture { $0.sessionLifetime = 600 }
    let client = Client(api)
    _ = await client.register()
    _ = await client.login()
    for _ in 0..<5 {
      api.clock.advance(milliseconds: 300_000)
      #expect(await client.send("GET", "/users").status == .ok)
    }
    api.clock.advance(milliseconds: 600_000)
    #expect(await client.send("GET", "/users").status == .forbidden)
  }

  @Test(arguments: [
    "auth_tkt=", "auth_tkt=' OR 1=1 --", "auth_tkt=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "auth_tkt", ";;=;",
  ])
  func `a cookie that is no session's is none`(cookie: String) async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    client.cookie = cookie
    #expect(await client.send("GET", "/users").status == .forbidden)
  }

  @Test func `a session is found behind other cookies of its name`() async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    _ = await client.login()
    let planted = ["short", String(repeating: "a", count: 32), String(repeating: "b", count: 32)].map {
      "auth_tkt=\($0); "
    }
    client.cookie = planted.joined() + (client.cookie ?? "")
    let cookies = client.cookie
    #expect(await client.post("Hello").status == .ok)
    #expect(await client.send("POST", "/users/logout").status == .ok)
    client.cookie = cookies
    #expect(await client.send("GET", "/users").status == .forbidden)
  }

  @Test func `of the cookies of its name, fifty are tried`() async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    _ = await client.login()
    let session = client.cookie ?? ""
    func planted(_ count: Int) -> String {
      (0..<count).map { "auth_tkt=\(String(repeating: "a", count: 30))\(10 + $0); " }.joined() + session
    }
    client.cookie = planted(49)
    #expect(await client.send("GET", "/users").status == .ok)
    client.cookie = planted(50)
    #expect(await client.send("GET", "/users").status == .forbidden)
  }

  @Test(arguments: [
    ("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
  ])
  func `a page of another site cannot post or log out with the cookie`(name: String, value: String) async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    _ = await client.login()
    for path in ["/blogposts", "/users/logout"] {
      let refused = await client.send("POST", path, json: #"{"text":"x"}"#, fields: [(name, value)])
      #expect(refused.status == .forbidden)
      #expect(refused.fields["X-Error"] == "foreign_page")
      #expect(
        refused.text
          == #"{"status":"failed","message":"A page of another site has sent this request. Only the app and pages of this server may use its session."}"#
      )
    }
    #expect(await client.send("GET", "/users", fields: [(name, value)]).status == .ok)
    #expect(texts(await client.send("GET", "/blogposts")).isEmpty)
  }

  @Test func `a page of the server itself may post`() async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    _ = await client.login()
    let fields = [("Origin", "https://microblog.example"), ("Sec-Fetch-Site", "same-origin")]
    #expect(await client.send("POST", "/blogposts", json: #"{"text":"x"}"#, fields: fields).status == .ok)
  }

  @Test func `the cookie is for https only where clients use https`() async throws {
    let client = Client(try APIFixture { $0.publicURL = "https://microblog.example" })
    _ = await client.register()
    #expect(await client.login().fields["Set-Cookie"]?.hasSuffix("; Secure") == true)
  }

  @Test func `a text has at most 10,000 bytes, and some`() async throws {
    let client = Client(try APIFixture())
    _ = await client.register()
    _ = await client.login()
    #expect(await client.post(String(repeating: "x", count: 10_000)).status == .ok)
    #expect(await client.post(String(repeating: "x", count: 10_001)).status == .badRequest)
    #expect(await client.post(" ").status == .badRequest)
    #expect(await client.send("POST", "/blogposts", json: "{}").status == .badRequest)
    #expect(await client.send("POST", "/blogposts", json: #"{"text":{"a":1}}"#).status == .badRequest)
  }

  @Test(arguments: [
    ("GET", "/users/1"), ("GET", "/users/login"), ("PUT", "/blogposts"), ("DELETE", "/blogposts/1/2"),
    ("POST", "/probe_status/x"), ("GET", "/blogposts.json"),
  ])
  func `an address or a method that there is not is 404 in the app's form`(method: String, path: String) async throws {
    let response = await Client(try APIFixture()).send(method, path)
    #expect(response.status == .notFound)
    #expect(response.text == #"{"status":"failed","message":"Wrong URL or HTTP method"}"#)
  }

  @Test func `accounts of the other apps are others`() async throws {
    let api = try APIFixture()
    try await api.signUp("jane@example.com")
    #expect(await Client(api).login("jane@example.com", password: APIFixture.password).status == .unauthorized)
  }

  @Test func `a load balancer's check`() async throws {
    let response = await Client(try APIFixture()).send("GET", "/probe_status")
    #expect(response.status == .ok)
    #expect(response.text == "OK")
    #expect(response.fields["Content-Type"] == "text/plain; charset=utf-8")
  }
}
