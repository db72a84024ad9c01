import APITestSupport
import SelfieAPI
import TestSupport

/// A server of the real parts, in this process: on a free port, with its storage in a temporary folder, at a time that
/// the test sets.
struct LocalServer: Sendable {
  let origin: String
  let clock: SettableClock

  /// The app, set up for this server.
  var app: TutorialApp { TutorialApp(origin) }

  /// Runs a test against a server, and stops that afterwards.
  static func run(
    adjust: (inout APISettings) -> Void = { _ in }, _ test: (LocalServer) async throws -> Void
  ) async throws {
    let fixture = try APIFixture(adjust: adjust)
    try await fixture.serve { try await test(LocalServer(origin: "http://127.0.0.1:\($0)", clock: fixture.clock)) }
  }

  /// Runs a test with an app that has signed up and in.
  static func runWithUser(
    adjust: (inout APISettings) -> Void = { _ in }, _ test: (LocalServer, TutorialApp) async throws -> Void
  ) async throws {
    try await run(adjust: adjust) { server in
      let app = server.app
      try await app.makeUser()
      try await test(server, app)
    }
  }
}
