import APITestSupport
import Cryptography
import HTTPMessages
import Testing

@testable import SelfieAPI

/// The Notes app, beyond what `notes.http` has.
@Suite(.eachDatabase) struct NotesTests {
  /// A client of the app: AFNetworking's form encoding, and HTTP Basic with the user's email address and password.
  struct Client {
    let api: APIFixture
    var email = "jane@example.com"
    var password = APIFixture.password

    /// A client with an account.
    static func signedUp(adjust: (inout APISettings) -> Void = { _ in }) async throws -> Client {
      let api = try APIFixture(adjust: adjust)
      try await api.signUp()
      return Client(api: api)
    }

    var credentials: (name: String, value: String) {
      ("Authorization", "Basic \(Base64.encode(Array("\(email):\(password)".utf8)))")
    }

    func send(
      _ method: String, _ target: String, type: String = "application/x-www-form-urlencoded; charset=utf-8",
      form: String = ""
    ) async -> Response {
      await api.send(method, target, fields: [credentials], type: type, body: form)
    }

    func list() async -> Response { await send("GET", "/notes.json?token=token") }

    func create(_ title: String, _ body: String) async -> Response {
      await send("POST", "/notes.json", form: "token=token&note[title]=\(title)&note[body]=\(body)")
    }
  }

  @Test func `an unknown address costs a hash as a wrong password does, so that its time tells nothing`() async throws {
    var client = try await Client.signedUp()
    let hashes = client.api.application.passwords.hashes
    let before = hashes.reading.count
    client.password = "wrong password"
    #expect(await client.list().status == .unauthorized)
    client.email = "nobody@example.com"
    #expect(await client.list().status == .unauthorized)
    #expect(hashes.reading.count == before + 2)
  }

  @Test func `a title has at most 255 characters, and a body 128 KiB`() async throws {
    let client = try await Client.signedUp()
    let (title, body) = (String(repeating: "é", count: 255), String(repeating: "x", count: Note.maxBodyBytes))
    #expect(await client.create(title, body).status == .created)
    #expect(await client.create(title + "é", "x").status == .unprocessableContent)
    #expect(await client.create("x", body + "x").status == .unprocessableContent)
    let update = await client.send("PUT", "/notes/1.json", form: "token=token&note[title]=\(title)x")
    #expect(update.status == .unprocessableContent)
  }

  @Test(arguments: [
    ("application/json; charset=utf-8", #"{"token":"token","title":"Milk"}"#, Status.created),
    ("text/x-json", #"{"token":"token","body":null}"#, .created),
    ("application/json", #"{"token":"token","title":7,"note":{"title":"Milk"}}"#, .created),
    ("application/json", #"{"token":"token","title":7}"#, .unprocessableContent),
    ("application/json", #"{"token":"token","title":"Milk","note":[]}"#, .unprocessableContent),
    ("application/x-www-form-urlencoded", "token=token&title=Milk", .unprocessableContent),
  ])
  func `JSON may leave out the root, unless it has one, and a form may not`(
    type: String, body: String, status: Status
  ) async throws {
    let client = try await Client.signedUp()
    #expect(await client.send("POST", "/notes.json", type: type, form: body).status == status)
  }

  @Test func `an account has room for four megabytes, which deletions free`() async throws {
    let client = try await Client.signedUp()
    // Longer than an app may send.
    let stored = Note(
      userID: 1, title: "", body: String(repeating: "x", count: Int(Note.maxBytesPerUser) - 9), createdAt: 1)
    try await client.api.application.database.write(about: .all) { try $0.insert([stored]) }
    #expect(await client.create("title", "body").status == .created)
    let refused = await client.create("y", "")
    #expect(refused.status == .insufficientStorage)
    #expect(refused.member("errors")?.contains("Delete some first") == true)
    #expect(await client.send("DELETE", "/notes/1.json?token=token").status == .noContent)
    #expect(await client.create("y", "").status == .created)
    #expect(try await client.list().fetched().elements.count == 2)
  }

  @Test func `known credentials need no hash for ten minutes, or until the password is changed`() async throws {
    let client = try await Client.signedUp()
    let user = try #require(try await client.api.application.users.find(email: client.email))
    func areKnown() -> Bool {
      client.api.application.verifiedCredentials.contains(
        Array(client.password.utf8), of: user, now: client.api.clock.now)
    }
    #expect(!areKnown())
    #expect(await client.list().status == .ok)
    #expect(areKnown())
    client.api.clock.advance(seconds: 600)
    #expect(!areKnown())

    #expect(await client.list().status == .ok)
    let token = try await client.api.signIn()
    #expect(await client.api.resetPassword(to: "new-password", as: .holder(of: token)).status == .ok)
    #expect(await client.list().status == .unauthorized)
    var changed = client
    changed.password = "new-password"
    #expect(await changed.list().status == .ok)
  }

  @Test func `known credentials pass while an account is being guessed at`() async throws {
    let client = try await Client.signedUp()
    #expect(await client.list().status == .ok)
    var guesser = client
    guesser.password = "guess"
    for _ in 0..<10 { #expect(await guesser.list().status == .unauthorized) }
    let refused = await guesser.list()
    #expect(refused.status == .tooManyRequests)
    #expect(refused.member("errors") != nil)
    #expect(await client.list().status == .ok)
  }

  @Test func `a family that is off has no addresses`() async throws {
    let response = await (try await Client.signedUp { $0.families = [.selfie] }).list()
    #expect(response.status == .notFound)
    #expect(response.message == "Wrong URL or HTTP method")
  }
}
