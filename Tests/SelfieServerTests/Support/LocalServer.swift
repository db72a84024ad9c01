import APITestSupport
import Platform
import SelfieAPI
import Synchronization
import TestSupport

/// A server of the real parts, in this process: on a free port, with its storage in a temporary folder, at a time that
/// the test sets.
struct LocalServer: Sendable {
  let port: Int
  let folder: TemporaryFolder
  let clock: SettableClock

  var address: String { "http://127.0.0.1:\(port)" }

  /// The app, set up for this server.
  var app: TutorialApp {
    TutorialApp(
      helper: HTTPHelper(
        apiAuthName: APIFixture.authName, apiAuthPassword: APIFixture.authPassword,
        baseURL: "\(address)/api"))
  }

  /// Runs a test against a server, and stops that afterwards.
  static func run(
    adjust: (inout APISettings) -> Void = { _ in }, _ test: (LocalServer) async throws -> Void
  ) async throws {
    let fixture = try APIFixture(adjust: adjust)
    try await fixture.serve { port in
      try await test(LocalServer(port: port, folder: fixture.folder, clock: fixture.clock))
    }
  }
}
