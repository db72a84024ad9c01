import APITestSupport
import Cryptography
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// Two API passwords are valid during a rotation. Each is the key of the passwords that its apps send.
@Suite struct PreviousPasswordTests {
  private static let previous = "the password of the apps before the update"

  private let api: APIFixture

  init() throws {
    api = try APIFixture { $0.previousAuthPassword = Self.previous }
  }

  private let old = AppRequests(name: APIFixture.authName, password: previous)
  private let new = AppRequests(name: APIFixture.authName, password: APIFixture.authPassword)

  private func signUp(_ app: AppRequests, _ email: String = "jane@example.com") async throws {
    try #require(await api.respond(to: app.signUp(email, APIFixture.password)).status == .ok)
  }

  private func signIn(_ app: AppRequests, _ password: String = APIFixture.password) async throws -> String {
    try #require(await api.respond(to: app.signIn("jane@example.com", password)).member("api_authtoken"))
  }

  private func reset(_ app: AppRequests, _ token: String, from old: String, to new: String) async -> Status {
    await api.respond(to: app.resetPassword(token, from: old, to: new)).status
  }

  @Test func `an account that an app has made works in the apps of both passwords`() async throws {
    try await signUp(old, "old@example.com")
    try await signUp(new, "new@example.com")
    for app in [old, new] {
      for email in ["old@example.com", "new@example.com"] {
        #expect(await api.respond(to: app.signIn(email, APIFixture.password)).status == .ok)
        #expect(await api.respond(to: app.signIn(email, "wrong123")).status == .unauthorized)
      }
    }
  }

  @Test func `the Basic password of a request is the key of the password in it`() async throws {
    try await api.signUp()
    var mixed = new.signIn("jane@example.com", APIFixture.password)
    mixed.authorization = AppRequest.basic(APIFixture.authName, Self.previous)
    let response = await api.respond(to: mixed)
    #expect(response.status == .unauthorized)
    #expect(response.fields["X-Error"] == "wrong_password")
  }

  @Test func `reset_password, which has a token only, finds the key by the old password`() async throws {
    try await signUp(old)
    var password = APIFixture.password
    for (index, app) in [old, new, old].enumerated() {
      let (token, next) = (try await signIn(app, password), "other\(index)234")
      #expect(await reset(app, token, from: "wrong123", to: next) == .unauthorized)
      #expect(await reset(app, token, from: password, to: next) == .ok)
      password = next
      for reader in [old, new] { _ = try await signIn(reader, password) }
    }
  }

  /// One of 256 texts decrypts by the wrong key, to anything.
  @Test func `old passwords that decrypt by both keys are one attempt, and one of them is right`() async throws {
    let key = AESCrypt(password: Array(APIFixture.authPassword.utf8))
    let ambiguous = try #require(
      (0..<100_000).lazy.map { "secret\($0)" }.first { key.decrypt(Array(old.encrypt($0).utf8)) != nil })
    try await signUp(old)
    #expect(await reset(old, try await signIn(old), from: APIFixture.password, to: ambiguous) == .ok)
    #expect(await reset(old, try await signIn(old, ambiguous), from: ambiguous, to: "secret34") == .ok)

    let last = try await signIn(old, "secret34")
    for _ in 0..<AttemptCounts.maxFailures {
      #expect(await reset(old, last, from: ambiguous, to: "secret56") == .unauthorized)
    }
    #expect(await reset(old, last, from: ambiguous, to: "secret56") == .tooManyRequests)
  }
}
