import APITestSupport
import Cryptography
import HTTPMessages
import Testing

@testable import SelfieAPI

/// What the Notes app sends, and what it gets.
@Suite(.eachDatabase) struct NotesTests {
  /// A client of the app: AFNetworking's form encoding, and HTTP Basic with the user's email address and password.
  struct Client {
    let api: APIFixture
    var email = "jane@example.com"
    var password = APIFixture.password

    func send(_ method: String, _ target: String, form: String? = nil) async -> Response {
      await send(method, target, type: form.map { _ in Self.form }, body: form ?? "")
    }

    func send(_ method: String, _ target: String, type: String?, body: String) async -> Response {
      await send(method, target, type: type, body: RequestBody(Array(body.utf8)))
    }

    func send(_ method: String, _ target: String, type: String? = form, body: RequestBody) async -> Response {
      let credentials = Base64.encode(Array("\(email):\(password)".utf8))
      var fields = [("Host", "notes.example"), ("Authorization", "Basic \(credentials)")]
      if let type { fields.append(("Content-Type", type)) }
      return await api.application.respond(
        Request(head: Request(method, target, fields: fields).head, body: body, peer: "127.0.0.1"))
    }

    static let form = "application/x-www-form-urlencoded; charset=utf-8"

    /// As the Selfie app does it.
    func replacePassword(by new: String, token: String) async -> Response {
      await api.send(
        "POST", "/api/reset_password", as: .holder(of: token),
        ["old_password": APIFixture.encrypt(password), "new_password": APIFixture.encrypt(new)])
    }

    func list() async -> Response { await send("GET", "/notes.json?token=token") }

    func create(_ title: String, _ body: String) async -> Response {
      await send("POST", "/notes.json", form: "token=token&note[title]=\(title)&note[body]=\(body)")
    }
  }

  private func client() async throws -> Client {
    let api = try APIFixture()
    try await api.signUp()
    return Client(api: api)
  }

  private func titles(_ response: Response) -> [String?] { response.elements.map { $0["title"] } }

  @Test func `an unknown address costs a hash as a wrong password does, so that its time tells nothing`() async throws {
    var client = try await client()
    let hashes = client.api.application.passwords.times.hashes
    let before = hashes.reading.count
    client.password = "wrong password"
    #expect(await client.list().status == .unauthorized)
    client.email = "nobody@example.com"
    #expect(await client.list().status == .unauthorized)
    #expect(hashes.reading.count == before + 2)
  }

  @Test func `a note is made, listed, changed and deleted`() async throws {
    let client = try await client()
    #expect(await client.list().text == "[]")

    let created = await client.create("Milk", "two%20bottles")
    #expect(created.status == .created)
    #expect(created.member("title") == "Milk")
    #expect(created.member("body") == "two bottles")
    #expect(created.fields["Location"] == "/notes/1.json")
    let list = await client.list()
    #expect(list.status == .ok)
    #expect(list.text == "[\(created.text)]")
    #expect(list.text.contains(#""id":1,"#))

    client.api.clock.advance(milliseconds: 1000)
    let updated = await client.send("PUT", "/notes/1.json", form: "token=token&note[title]=Bread&note[body]=")
    #expect(updated.status == .noContent)
    #expect(updated.content.isEmpty)
    let shown = await client.send("GET", "/notes/1.json?token=token")
    #expect(shown.member("title") == "Bread")
    #expect(shown.member("body") == "")
    #expect(shown.member("updated_at") != shown.member("created_at"))

    #expect(await client.send("DELETE", "/notes/1.json?token=token").status == .noContent)
    #expect(await client.list().text == "[]")
  }

  @Test func `a form may ask for another method`() async throws {
    let client = try await client()
    _ = await client.create("Milk", "two")
    let form = "token=token&note[title]=Bread"
    #expect(await client.send("POST", "/notes/1.json", form: "_method=put&\(form)").status == .noContent)
    #expect(titles(await client.list()) == ["Bread"])
    #expect(await client.send("POST", "/notes/1.json", form: "_method=delete&token=token").status == .noContent)
    #expect(await client.list().text == "[]")
  }

  @Test func `a list that has not changed is 304`() async throws {
    let client = try await client()
    _ = await client.create("Milk", "two")
    let etag = try #require(await client.list().fields["ETag"])
    let credentials = Base64.encode(Array("\(client.email):\(client.password)".utf8))
    func list() async -> Response {
      await client.api.get(
        "/notes.json?token=token", fields: [("Authorization", "Basic \(credentials)"), ("If-None-Match", etag)])
    }
    #expect(await list().status == .notModified)
    _ = await client.create("Bread", "one")
    #expect(await list().status == .ok)
  }

  @Test func `another user's notes are not there`() async throws {
    let jane = try await client()
    _ = await jane.create("Milk", "two")
    try await jane.api.signUp("john@example.com")
    let john = Client(api: jane.api, email: "john@example.com")
    #expect(await john.list().text == "[]")
    for (method, form) in [("GET", nil), ("PUT", "token=token&note[title]=x"), ("DELETE", nil)] {
      let target = form == nil ? "/notes/1.json?token=token" : "/notes/1.json"
      let response = await john.send(method, target, form: form)
      #expect(response.status == .notFound)
      #expect(response.member("errors") == "There is no such note.")
    }
    #expect(titles(await jane.list()) == ["Milk"])
  }

  @Test(arguments: ["1%20OR%201=1", "-1", "0", "9223372036854775808", "1'--", "%31", "x"])
  func `what is no id names no note`(id: String) async throws {
    let client = try await client()
    _ = await client.create("Milk", "two")
    #expect(await client.send("DELETE", "/notes/\(id).json?token=token").status == .notFound)
    #expect(titles(await client.list()) == ["Milk"])
  }

  @Test func `quotes and statements are text`() async throws {
    let client = try await client()
    #expect(await client.create("')%3B DROP TABLE notes%3B --", "%22%3Cb%3E").status == .created)
    #expect(titles(await client.list()) == ["'); DROP TABLE notes; --"])
  }

  @Test func `without the parameter token, or with wrong credentials, it is 401 in words`() async throws {
    let client = try await client()
    var wrong = client
    wrong.password = "other-password"
    var unknown = client
    unknown.email = "nobody@example.com"
    let responses = [
      await client.send("GET", "/notes.json"), await client.send("GET", "/notes.json?token=x"), await wrong.list(),
      await unknown.list(),
      await client.api.application.respond(Request("GET", "/notes.json?token=token")),
    ]
    for response in responses {
      #expect(response.status == .unauthorized)
      #expect(response.fields["WWW-Authenticate"] == "Basic realm=\"Application\"")
      #expect(response.member("errors")?.isEmpty == false)
      #expect(response.member("errors") == response.message)
    }
    #expect(responses[2].text == responses[3].text)
  }

  @Test(arguments: [
    "token=token", "token=token&note=text", "token=token&note[]=text", "token=token&note[title][]=x",
    "token=token&note[body][a]=x", "token=token&note[title]=a%00b", "token=token&note[body]=%00",
  ])
  func `a note that is missing or malformed is 422`(form: String) async throws {
    let client = try await client()
    for (method, target) in [("POST", "/notes.json"), ("PUT", "/notes/1.json")] {
      let response = await client.send(method, target, form: form)
      #expect(response.status == .unprocessableContent)
      #expect(response.member("errors")?.isEmpty == false)
    }
    #expect(await client.list().text == "[]")
  }

  @Test func `a title has at most 255 characters, and a body 128 KiB`() async throws {
    let client = try await client()
    let (title, body) = (String(repeating: "é", count: 255), String(repeating: "x", count: Note.maxBodyBytes))
    #expect(await client.create(title, body).status == .created)
    #expect(await client.create(title + "é", "x").status == .unprocessableContent)
    #expect(await client.create("x", body + "x").status == .unprocessableContent)
    #expect(
      await client.send("PUT", "/notes/1.json", form: "token=token&note[title]=\(title)x").status
        == .unprocessableContent)
  }

  @Test func `an account has room for four megabytes, which deletions free`() async throws {
    let client = try await client()
    let body = String(repeating: "x", count: Note.maxBodyBytes - 1)
    for _ in 0..<32 { #expect(await client.create("y", body).status == .created) }
    let refused = await client.create("y", "")
    #expect(refused.status == .insufficientStorage)
    #expect(refused.member("errors")?.contains("Delete some first") == true)
    #expect(
      await client.send("PUT", "/notes/1.json", form: "token=token&note[title]=yy").status == .insufficientStorage)
    #expect(await client.send("PUT", "/notes/1.json", form: "token=token&note[title]=z").status == .noContent)
    #expect(await client.send("DELETE", "/notes/2.json?token=token").status == .noContent)
    #expect(await client.create("y", "").status == .created)
    #expect(try await client.list().fetched().elements.count == 32)
  }

  @Test func `known credentials need no hash until the password is changed`() async throws {
    let client = try await client()
    let cache = client.api.application.verifiedCredentials
    let user = try #require(try await client.api.application.users.find(email: client.email))
    let password = Array(client.password.utf8)
    #expect(!cache.contains(password, of: user, now: client.api.clock.now))
    #expect(await client.list().status == .ok)
    #expect(cache.contains(password, of: user, now: client.api.clock.now))

    let token = try await client.api.signIn()
    #expect(await client.replacePassword(by: "new-password", token: token).status == .ok)
    #expect(await client.list().status == .unauthorized)
    var changed = client
    changed.password = "new-password"
    #expect(await changed.list().status == .ok)
  }

  @Test func `known credentials pass while an account is being guessed at`() async throws {
    let client = try await client()
    #expect(await client.list().status == .ok)
    var guesser = client
    guesser.password = "guess"
    for _ in 0..<10 { #expect(await guesser.list().status == .unauthorized) }
    let refused = await guesser.list()
    #expect(refused.status == .tooManyRequests)
    #expect(refused.member("errors") != nil)
    #expect(await client.list().status == .ok)
  }

  @Test func `known credentials are forgotten after ten minutes`() async throws {
    let client = try await client()
    #expect(await client.list().status == .ok)
    let user = try #require(try await client.api.application.users.find(email: client.email))
    client.api.clock.advance(milliseconds: 600_000)
    #expect(
      !client.api.application.verifiedCredentials.contains(
        Array(client.password.utf8), of: user, now: client.api.clock.now))
  }

  @Test func `a family that is off has no addresses`() async throws {
    let api = try APIFixture { $0.families = [.selfie] }
    try await api.signUp()
    let response = await Client(api: api).list()
    #expect(response.status == .notFound)
    #expect(response.message == "Wrong URL or HTTP method")
  }
}
