import Foundation
import Testing

/// The tutorial's app, unchanged but for its `BASE_URL`, against the server.
@Suite(.timeLimit(.minutes(10))) struct TutorialAppTests {
  private static let email = "jane@example.com"
  private static let password = "secret12"

  /// A server, and the app after signing up and in.
  private func withUser(
    maxPhotoBytes: Int = 67_108_864, _ test: (LocalServer, TutorialApp) async throws -> Void
  ) async throws {
    try await LocalServer.run(adjust: { $0.maxPhotoBytes = maxPhotoBytes }) { server in
      let app = server.app
      try await app.makeSignUpRequest(name: "Jane Doe", email: Self.email, password: Self.password)
      try await app.makeSignInRequest(email: Self.email, password: Self.password)
      try await test(server, app)
    }
  }

  private func expectAlert(
    _ status: Int, _ message: String, reason: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ action: () async throws -> Void
  ) async {
    await #expect(
      throws: TutorialApp.Alert(status: status, message: message, reason: reason), sourceLocation: sourceLocation
    ) { try await action() }
  }

  @Test func `signs up, in and out, and keeps selfies in between`() async throws {
    try await withUser { server, app in
      let expiry = try #require(app.expiry)
      #expect(expiry.timeIntervalSince1970 == Double(server.clock.now + 86_400_000) / 1000)
      #expect(try await app.loadSelfieData().isEmpty)

      let image = PNG.random(width: 1400, height: 1300)
      #expect(image.count > 5_000_000)
      let selfie = try await app.postBtnTapped(image: image, title: "Me & my \"dog\" 🐶")
      #expect(selfie.title == "Me & my \"dog\" 🐶")
      #expect(try await app.loadSelfieData() == [selfie])

      let download = try await app.helper.download(selfie.url)
      #expect(download.status == 200)
      #expect(download.data == image)
      #expect(download.headers["content-type"] == "image/png")
      #expect(download.headers["content-length"] == "\(image.count)")

      let second = try await app.postBtnTapped(image: PNG.random(width: 2, height: 2), title: "")
      #expect(try await app.loadSelfieData() == [selfie, second])

      try await app.deleteSelfie(selfie.id)
      #expect(try await app.loadSelfieData() == [second])
      #expect(try await app.helper.download(selfie.url).status == 404)
      #expect(try await app.helper.download(second.url).status == 200)

      try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
      await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
        _ = try await app.loadSelfieData()
      }
    }
  }

  @Test func `a new password ends the old token and brings a new one`() async throws {
    try await withUser { server, app in
      let old = try #require(app.helper.keychain["Auth_Token"])
      try await app.resetPassword(from: Self.password, to: "secret34")
      #expect(app.helper.keychain["Auth_Token"] != old)
      #expect(try await app.loadSelfieData().isEmpty)

      let other = server.app
      other.helper.keychain["Auth_Token"] = old
      await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
        _ = try await other.loadSelfieData()
      }
      await expectAlert(401, "Wrong Password", reason: "wrong_password") {
        try await other.makeSignInRequest(email: Self.email, password: Self.password)
      }
      try await other.makeSignInRequest(email: Self.email, password: "secret34")
      await expectAlert(401, "Wrong Password", reason: "wrong_password") {
        try await app.resetPassword(from: Self.password, to: "secret56")
      }
    }
  }

  @Test func `what goes wrong at the door is told`() async throws {
    try await withUser { server, app in
      await expectAlert(401, "Wrong Password", reason: "wrong_password") {
        try await app.makeSignInRequest(email: Self.email, password: "secret13")
      }
      await expectAlert(400, "No USER found by this email ID", reason: "unknown_email") {
        try await app.makeSignInRequest(email: "nobody@example.com", password: Self.password)
      }
      await expectAlert(400, "email - has already been taken,") {
        try await app.makeSignUpRequest(name: "Jane", email: Self.email, password: Self.password)
      }
      await expectAlert(400, "password - is too short (minimum is 6 characters),email - is invalid,") {
        try await app.makeSignUpRequest(name: "Jane", email: "jane", password: "short")
      }
      for action in ["signup", "signin"] {
        await expectAlert(400, "required parameters are missing") {
          var request = try app.helper.buildRequest(action, method: "POST", authType: .httpBasicAuth)
          request.httpBody = Data("{}".utf8)
          _ = try await app.send(request)
        }
      }
      var stranger = server.app
      stranger.helper.apiAuthPassword = "guessed"
      await expectAlert(401, "HTTP Basic: Access denied.", reason: "invalid_api_credentials") {
        try await stranger.makeSignInRequest(email: Self.email, password: Self.password)
      }
      await expectAlert(404, "Wrong URL or HTTP method") {
        _ = try await app.send(try app.helper.buildRequest("sign_in", method: "POST", authType: .httpBasicAuth))
      }
    }
  }

  /// The app puts the name between quotes as it is.
  @Test(arguments: ["Jane \"JD\" Doe", "Jane\\", "\""])
  func `a name that breaks the JSON is told in words that help`(_ name: String) async throws {
    try await LocalServer.run { server in
      let alert = await #expect(throws: TutorialApp.Alert.self) {
        try await server.app.makeSignUpRequest(name: name, email: Self.email, password: Self.password)
      }
      #expect(alert?.status == 400)
      let message = try #require(alert?.message)
      #expect(message.contains("quotation mark or a backslash"), "\(message)")
    }
  }

  @Test func `a token that has expired, or is none, is told at every turn`() async throws {
    try await withUser { server, app in
      server.clock.advance(seconds: 86_400)
      let expired = "Authtoken has expired. Please get a new token and try again!"
      await expectAlert(401, expired, reason: "expired_token") { _ = try await app.loadSelfieData() }
      await expectAlert(401, expired, reason: "expired_token") { try await app.deleteSelfie("a") }
      await expectAlert(401, "Authtoken has expired", reason: "expired_token") {
        _ = try await app.postBtnTapped(image: PNG.random(width: 100, height: 100), title: "t")
      }
      await expectAlert(
        401, "Authtoken is invalid or has expired. Kindly refresh the token and try again!", reason: "expired_token"
      ) { try await app.resetPassword(from: Self.password, to: "secret34") }
      await expectAlert(401, "You don't have permission to do this task", reason: "expired_token") {
        try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
      }

      app.helper.keychain["Auth_Token"] = "abcdefghijklmnopqrstuvwx"
      let denied = "HTTP Token: Access denied."
      await expectAlert(401, denied, reason: "invalid_token") { _ = try await app.loadSelfieData() }
      await expectAlert(401, denied, reason: "invalid_token") {
        _ = try await app.postBtnTapped(image: PNG.random(width: 1000, height: 1000), title: "t")
      }
    }
  }

  @Test func `selfies that cannot be had or kept are told`() async throws {
    try await withUser(maxPhotoBytes: 1_000_000) { _, app in
      await expectAlert(413, "The photo is larger than 1000000 bytes.") {
        _ = try await app.postBtnTapped(image: PNG.random(width: 1200, height: 1200), title: "t")
      }
      // Within the megabyte that may stand around a photo: known only when most of it has come.
      await expectAlert(413, "The photo is larger than 1000000 bytes.") {
        _ = try await app.postBtnTapped(image: PNG.random(width: 600, height: 600), title: "t")
      }
      await expectAlert(
        401, "Invalid Photo ID or You don't have permission to delete this photo!", reason: "unknown_photo"
      ) { try await app.deleteSelfie("a") }
      let selfies = try await app.loadSelfieData()
      #expect(selfies.isEmpty)
    }
  }
}
