import Foundation
import Testing

/// The tutorial's app, unchanged but for its `BASE_URL`, against the server.
@Suite(.timeLimit(.minutes(10))) struct TutorialAppTests {
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
      let other = TutorialApp(server.origin, token: app.token)
      try await app.resetPassword(to: "secret34")
      #expect(app.token != other.token)
      try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
      for app in [app, other] {
        await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
          _ = try await app.loadSelfieData()
        }
      }
    }
  }

  /// The recorded exchanges have every other refusal.
  @Test func `shows why a photo was refused`() async throws {
    try await LocalServer.runWithUser(adjust: { $0.maxPhotoBytes = 1_000_000 }) { server, app in
      // The second is within the megabyte that may stand around a photo: known only when most of it has come.
      for count in [4_320_000, 1_080_000] {
        await expectAlert(413, "The photo is larger than 1000000 bytes.") {
          _ = try await app.postBtnTapped(image: PNG.random(count))
        }
      }
      server.clock.advance(seconds: 86_400)
      await expectAlert(401, "Authtoken has expired", reason: "expired_token") {
        try await app.postBtnTapped(image: PNG.random(900_000))
      }
    }
  }
}
