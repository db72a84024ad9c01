import APITestSupport
import HTTPMessages
import SelfieTestControl
import Testing

@testable import SelfieAPI

/// With Bearer, 401 means that a new token helps. With Token, the status is the recorded one.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct BearerErrorsTests {
  private typealias Sent = (method: String, target: String, parameters: [String: String])

  private static let resetWithWrongPassword: Sent = (
    "POST", "/api/reset_password",
    ["old_password": APIFixture.encrypt("wrong-one"), "new_password": APIFixture.encrypt("another1")]
  )

  /// Sends the same once with each scheme.
  private func both(_ api: APIFixture, _ sent: Sent, _ token: String) async -> (bearer: Response, token: Response) {
    (
      await api.send(sent.method, sent.target, as: .bearer(of: token), sent.parameters),
      await api.send(sent.method, sent.target, as: .holder(of: token), sent.parameters)
    )
  }

  private func expect(
    _ api: APIFixture, _ sent: Sent, _ token: String, bearer status: Status, reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let (bearer, recorded) = await both(api, sent, token)
    #expect(bearer.status == status, sourceLocation: sourceLocation)
    #expect(recorded.status == .unauthorized, sourceLocation: sourceLocation)
    #expect(bearer.message == recorded.message, sourceLocation: sourceLocation)
    #expect(bearer.text.contains("\"status\":\(status.code)"), sourceLocation: sourceLocation)
    for response in [bearer, recorded] { #expect(response.fields["X-Error"] == reason, sourceLocation: sourceLocation) }
    let challenge = bearer.fields["WWW-Authenticate"]
    if status == .unauthorized {
      let message = bearer.message ?? ""
      #expect(
        challenge == "Bearer realm=\"Application\", error=\"invalid_token\", error_description=\"\(message)\"",
        sourceLocation: sourceLocation)
    } else {
      #expect(challenge == nil, sourceLocation: sourceLocation)
    }
  }

  @Test func `what no new token cures is no 401`() async throws {
    let api = try APIFixture { $0.limitsFailures = false }
    let token = try await api.newUser()
    await expect(
      api, ("DELETE", "/api/delete_photo", ["photo_id": "unknown"]), token, bearer: .notFound, reason: "unknown_photo")
    await expect(api, Self.resetWithWrongPassword, token, bearer: .forbidden, reason: "wrong_password")
    for (method, target) in [("POST", "/api/signup"), ("POST", "/api/signin"), ("GET", "/api/get_token")] {
      await expect(api, (method, target, [:]), token, bearer: .forbidden, reason: "invalid_api_credentials")
    }
    await expect(
      api, ("POST", "/api/refresh_token", [:]), "unknown", bearer: .forbidden, reason: "not_refreshable")
  }

  @Test func `what a new token cures is a 401 with a challenge for Bearer`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let ended = try await api.signIn()
    #expect(await api.get("/api/clear_token", as: .holder(of: ended)).status == .ok)
    let all: [Sent] = [
      ("GET", "/api/get_photos", [:]), ("GET", "/api/clear_token", [:]),
      ("DELETE", "/api/delete_photo", ["photo_id": "unknown"]), Self.resetWithWrongPassword,
    ]
    for sent in all {
      for unknown in ["unknown", "", ended] {
        await expect(api, sent, unknown, bearer: .unauthorized, reason: "invalid_token")
      }
    }
    api.clock.advance(seconds: 86_400)
    for sent in all { await expect(api, sent, token, bearer: .unauthorized, reason: "expired_token") }
  }

  @Test func `an app without a token sends the scheme alone`() async throws {
    let api = try APIFixture()
    for target in ["/api/refresh_token", "/api/signin"] {
      let response = await api.application.respond(
        Request("POST", target, fields: [("Host", "h"), ("Authorization", "Bearer")]))
      #expect(response.status == .forbidden)
    }
    let response = await api.application.respond(
      Request("GET", "/api/get_photos", fields: [("Host", "h"), ("Authorization", "Bearer")]))
    #expect(response.status == .unauthorized)
  }

  @Test func `the other families' refusals are no 401 either`() async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let notes = await api.get("/notes.json?token=token", as: .bearer(of: token))
    #expect(notes.status == .forbidden)
    #expect(notes.member("errors") != nil)
    let login = await api.send(
      "POST", "/users/login", as: .bearer(of: token), ["name": "nobody", "password": "wrong"])
    #expect(login.status == .forbidden)
    #expect(login.member("status") == "failed")
  }
}
