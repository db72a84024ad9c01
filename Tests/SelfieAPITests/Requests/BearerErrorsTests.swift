import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// With Bearer, 401 means that a new token helps. With Token, the status is the recorded one. `InterceptorTests` sends
/// Bearer to all addresses.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct BearerErrorsTests {
  @Test func `what a new token cures is a 401 with a challenge for Bearer`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let ended = try await api.signIn()
    #expect(await api.get("/api/clear_token", as: .holder(of: ended)).status == .ok)
    let wrong = ["old_password": APIFixture.encrypt("wrong-one"), "new_password": APIFixture.encrypt("another1")]
    func expect401(_ token: String, reason: String) async {
      for (method, target, parameters) in [
        ("GET", "/api/get_photos", [:]), ("GET", "/api/clear_token", [:]),
        ("DELETE", "/api/delete_photo", ["photo_id": "unknown"]), ("POST", "/api/reset_password", wrong),
      ] {
        let bearer = await api.send(method, target, as: .bearer(of: token), parameters)
        let recorded = await api.send(method, target, as: .holder(of: token), parameters)
        #expect(bearer.status == .unauthorized && recorded.status == .unauthorized, "\(target)")
        #expect(bearer.text == recorded.text, "\(target)")
        #expect(bearer.fields["X-Error"] == reason && recorded.fields["X-Error"] == reason, "\(target)")
        let message = bearer.message ?? ""
        #expect(
          bearer.fields["WWW-Authenticate"]
            == "Bearer realm=\"Application\", error=\"invalid_token\", error_description=\"\(message)\"", "\(target)")
      }
    }
    for unknown in ["unknown", "", ended] { await expect401(unknown, reason: "invalid_token") }
    api.clock.advance(seconds: 86_400)
    await expect401(token, reason: "expired_token")
  }
}
