import Foundation
import Testing

/// The tutorial's app, unchanged but for its `BASE_URL`, against the server.
@Suite(.timeLimit(.minutes(10))) struct TutorialAppTests {
  private static let email = "jane@example.com"

  private func expectAlert(
    _ status: Int, _ message: String, reason: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ action: () async throws -> Void
  ) async {
    await #expect(
      throws: TutorialApp.Alert(status: status, message: message, reason: reason), sourceLocation: sourceLocation
    ) { try await action() }
  }

  @Test func `signs up, in and out, and keeps selfies in between`() async throws {
    try await LocalServer.runWithUser { server, app in
      let expiry = try #require(app.expiry)
      #expect(expiry.timeIntervalSince1970 == Double(server.clock.now + 86_400_000) / 1000)
      _ = try await app.keepSelfies(image: PNG.random(5_460_000))
      try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
      await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
        _ = try await app.loadSelfieData()
      }
    }
  }

  @Test func `a new password ends the old token and brings a new one`() async throws {
    try await LocalServer.runWithUser { server, app in
      let other = TutorialApp(server.origin, token: app.token)
      try await app.resetPassword(to: "secret34")
      #expect(app.token != other.token)
      #expect(try await app.loadSelfieData().isEmpty)
      await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
        _ = try await other.loadSelfieData()
      }
      await expectAlert(401, "Wrong Password", reason: "wrong_password") { try await other.makeSignInRequest() }
      try await other.makeSignInRequest(password: "secret34")
      await expectAlert(401, "Wrong Password", reason: "wrong_password") {
        try await app.resetPassword(to: "secret56")
      }
    }
  }

  @Test func `what goes wrong at the door is told`() async throws {
    try await LocalServer.runWithUser { server, app in
      await expectAlert(400, "No USER found by this email ID", reason: "unknown_email") {
        try await app.makeSignInRequest(email: "nobody@example.com")
      }
      await expectAlert(400, "email - has already been taken,") { try await app.makeSignUpRequest() }
      await expectAlert(400, "password - is too short (minimum is 6 characters),email - is invalid,") {
        try await app.makeSignUpRequest(email: "jane", password: "short")
      }
      for action in ["signup", "signin"] {
        await expectAlert(400, "required parameters are missing") {
          var request = try app.buildRequest(action, method: "POST", hasToken: false)
          request.httpBody = Data("{}".utf8)
          _ = try await app.send(request)
        }
      }
      var stranger = server.app
      stranger.apiAuthPassword = "guessed"
      await expectAlert(401, "HTTP Basic: Access denied.", reason: "invalid_api_credentials") {
        try await stranger.makeSignInRequest()
      }
      await expectAlert(404, "Wrong URL or HTTP method") {
        _ = try await app.send(try app.buildRequest("sign_in", method: "POST", hasToken: false))
      }
      // The app puts the name between quotes as it is.
      for name in ["Jane \"JD\" Doe", "Jane\\", "\""] {
        let alert = await #expect(throws: TutorialApp.Alert.self) { try await app.makeSignUpRequest(name: name) }
        #expect(alert?.status == 400)
        #expect(alert?.message.contains("quotation mark or a backslash") == true, "\(name)")
      }
    }
  }

  @Test func `a token that has expired, or is none, is told at every turn`() async throws {
    try await LocalServer.runWithUser { server, app in
      server.clock.advance(seconds: 86_400)
      let expired = "Authtoken has expired. Please get a new token and try again!"
      await expectAlert(401, expired, reason: "expired_token") { _ = try await app.loadSelfieData() }
      await expectAlert(401, expired, reason: "expired_token") { try await app.deleteSelfie("a") }
      await expectAlert(401, "Authtoken has expired", reason: "expired_token") { try await app.postBtnTapped() }
      await expectAlert(
        401, "Authtoken is invalid or has expired. Kindly refresh the token and try again!", reason: "expired_token"
      ) { try await app.resetPassword(to: "secret34") }
      await expectAlert(401, "You don't have permission to do this task", reason: "expired_token") {
        try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
      }

      app.token = "abcdefghijklmnopqrstuvwx"
      await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
        _ = try await app.postBtnTapped(image: PNG.random(3_000_000))
      }
    }
  }

  @Test func `selfies that cannot be had or kept are told`() async throws {
    try await LocalServer.runWithUser(adjust: { $0.maxPhotoBytes = 1_000_000 }) { _, app in
      // The second is within the megabyte that may stand around a photo: known only when most of it has come.
      for count in [4_320_000, 1_080_000] {
        await expectAlert(413, "The photo is larger than 1000000 bytes.") {
          _ = try await app.postBtnTapped(image: PNG.random(count))
        }
      }
      await expectAlert(
        401, "Invalid Photo ID or You don't have permission to delete this photo!", reason: "unknown_photo"
      ) { try await app.deleteSelfie("a") }
      let selfies = try await app.loadSelfieData()
      #expect(selfies.isEmpty)
    }
  }
}
