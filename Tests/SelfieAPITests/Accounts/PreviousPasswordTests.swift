import APITestSupport
import Cryptography
import HTTPMessages
import Testing

@testable import SelfieAPI

/// Two API passwords are valid during a rotation. Each is the key of the passwords that its apps send.
@Suite struct PreviousPasswordTests {
  private static let previous = "the password of the apps before the update"

  private let api: APIFixture

  init() throws {
    api = try APIFixture { $0.previousAuthPassword = Self.previous }
  }

  /// An app with one of the API's passwords.
  private struct App {
    let api: APIFixture
    let apiPassword: String

    func encrypt(_ text: String) -> String {
      AESCrypt(password: Array(apiPassword.utf8)).encrypt(Array(text.utf8))
    }

    func post(_ path: String, _ members: KeyValuePairs<String, String>, token: String? = nil) async -> Response {
      let basic = "Basic \(Base64.encode(Array("\(APIFixture.authName):\(apiPassword)".utf8)))"
      return await api.send(
        "POST", path, fields: [("Authorization", token.map { "Token token=\($0)" } ?? basic)],
        body: "{\(members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ","))}")
    }

    func signUp(_ email: String) async -> Response {
      await post("/api/signup", ["full_name": "Jane", "email": email, "password": encrypt(APIFixture.password)])
    }

    func signIn(_ email: String, _ password: String = APIFixture.password) async -> Response {
      await post("/api/signin", ["email": email, "password": encrypt(password)])
    }

    func reset(_ old: String, _ new: String, token: String) async -> Response {
      await post(
        "/api/reset_password", ["old_password": encrypt(old), "new_password": encrypt(new)], token: token)
    }
  }

  private var old: App { App(api: api, apiPassword: Self.previous) }
  private var new: App { App(api: api, apiPassword: APIFixture.authPassword) }

  @Test func `an account that an app has made works in the apps of both passwords`() async throws {
    #expect(await old.signUp("old@example.com").status == .ok)
    #expect(await new.signUp("new@example.com").status == .ok)
    for app in [old, new] {
      for email in ["old@example.com", "new@example.com"] {
        #expect(await app.signIn(email).status == .ok)
        #expect(await app.signIn(email, "wrong123").status == .unauthorized)
      }
    }
  }

  @Test func `the Basic password of a request is the key of the password in it`() async throws {
    try await api.signUp()
    let mixed = await old.post("/api/signin", ["email": "jane@example.com", "password": new.encrypt("secret12")])
    #expect(mixed.status == .unauthorized)
    #expect(mixed.fields["X-Error"] == "wrong_password")
  }

  @Test func `reset_password, which has a token only, finds the key by the old password`() async throws {
    #expect(await old.signUp("jane@example.com").status == .ok)
    var password = APIFixture.password
    for (index, app) in [old, new, old].enumerated() {
      let token = try #require(await app.signIn("jane@example.com", password).member("api_authtoken"))
      #expect(await app.reset("wrong123", "other\(index)234", token: token).status == .unauthorized)
      let response = await app.reset(password, "other\(index)234", token: token)
      #expect(response.status == .ok, "\(response.text)")
      password = "other\(index)234"
      for reader in [old, new] { #expect(await reader.signIn("jane@example.com", password).status == .ok) }
    }
  }

  /// One of 256 texts decrypts by the wrong key, to anything.
  @Test func `old passwords that decrypt by both keys are one attempt, and one of them is right`() async throws {
    let keys = (
      AESCrypt(password: Array(APIFixture.authPassword.utf8)), AESCrypt(password: Array(Self.previous.utf8))
    )
    let ambiguous = try #require(
      (0..<100_000).lazy.map { "secret\($0)" }.first { text in
        keys.0.decrypt(Array(keys.1.encrypt(Array(text.utf8)).utf8)) != nil
      })
    #expect(await old.signUp("jane@example.com").status == .ok)
    let token = try #require(await old.signIn("jane@example.com").member("api_authtoken"))
    #expect(await old.reset(APIFixture.password, ambiguous, token: token).status == .ok)
    let next = try #require(await old.signIn("jane@example.com", ambiguous).member("api_authtoken"))
    #expect(await old.reset(ambiguous, "secret34", token: next).status == .ok)

    let last = try #require(await old.signIn("jane@example.com", "secret34").member("api_authtoken"))
    for _ in 0..<AttemptCounts.maxFailures {
      #expect(await old.reset(ambiguous, "secret56", token: last).status == .unauthorized)
    }
    #expect(await old.reset(ambiguous, "secret56", token: last).status == .tooManyRequests)
  }
}
