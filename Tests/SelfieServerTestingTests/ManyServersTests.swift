import Foundation
import Testing

@testable import SelfieServerTesting

/// Many servers, and many worlds of one.
@Suite(.timeLimit(.minutes(10))) struct ManyServersTests {
  @Test func `servers do not know of each other`() async throws {
    let addresses = try await withThrowingTaskGroup { group in
      for number in 0..<4 {
        group.addTask { try await SelfieServer.run { try await useAlone($0, number: number).url } }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(addresses.count == 4)
  }

  @Test func `twenty worlds of a server do not know of each other`() async throws {
    try await SelfieServer.run { server in
      try await withThrowingTaskGroup { group in
        for number in 0..<20 {
          group.addTask { _ = try await useAlone(server.world("world-\(number)"), number: number) }
        }
        try await group.waitForAll()
      }
      #expect(try await server.requests.count() == 0)
      #expect(try await server.state().users.isEmpty)
    }
  }

  @Test func `a test uses a world of a server that runs, and leaves nothing there`() async throws {
    try await SelfieServer.run { server in
      let environment = ["SELFIE_URL": server.url.absoluteString]
      let started = try await SelfieServer.start(.init(), in: environment)
      #expect(started.url == server.url && started.headers.count == 1)
      #expect(started.sessionConfiguration.httpAdditionalHeaders as? [String: String] == started.headers)
      let launch = started.launchEnvironment
      #expect(launch["BASE_URL"] == started.baseURL.absoluteString && launch["X_TEST_WORLD"] == started.world)
      #expect(launch.allSatisfy { started.launchArguments.contains("-\($0)") && started.launchArguments.contains($1) })
      let used = try await useAlone(started, number: 1)
      #expect(try await App(server).signUp("jo@example.com").status == 200)
      let waiting = Task { try await used.requests.wait(for: .get("/never"), timeout: .seconds(3600)) }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      await used.stop()
      #expect(try await App(server).signIn("jo@example.com").status == 200)
      #expect(try await server.world(try #require(used.world)).requests.count() == 0)
    }
  }

  /// All that a test does with an app that has a server for itself. The others have users of the same emails.
  @discardableResult
  private func useAlone(_ server: SelfieServer, number: Int) async throws -> SelfieServer {
    // Time stands still in each, a day later than in the one before.
    let now = Date(timeIntervalSince1970: 1_767_225_600 + Double(number) * 86_400)
    try await server.clock.freeze(at: now)
    let app = App(server)
    #expect(try await app.signUp("jo@example.com", password: "password \(number)").status == 200)
    #expect(try await app.signUp("user-\(number)@example.com").status == 200)
    #expect(try await app.signIn("user-\(number + 1)@example.com").message == "No USER found by this email ID")
    let user = try await app.signIn("jo@example.com", password: "password \(number)")
    let token = try #require(user["api_authtoken"])
    let expiry = now.addingTimeInterval(86_400).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    #expect(user["authtoken_expiry"] == expiry)
    #expect(try await app.upload("image \(number)", title: "Selfie \(number)", token: token).status == 200)
    let photos = try await app.photos(token: token).json as? [[String: Any]]
    #expect(photos?.map { $0["title"] as? String } == ["Selfie \(number)"])
    #expect(photos?.first?["id"] as? Int == 1)
    return server
  }
}
