import Foundation
import SelfieServerTesting
import Testing

/// Many servers.
@Suite(.timeLimit(.minutes(10))) struct ManyServersTests {
  @Test func `a hundred in one process do not know of each other`() async throws {
    let ports = try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          try await SelfieServer.run { server in
            // Time stands still in each, a day later than in the one before.
            let now = Date(timeIntervalSince1970: 1_767_225_600 + Double(number) * 86_400)
            server.clock.freeze(at: now)
            try await useAlone(App(server), number: number, now: now)
            return server.port
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ports.count == 100)
  }

  /// All that a test does with an app that has a server for itself. The others have users of the same emails.
  private func useAlone(_ app: App, number: Int, now: Date) async throws {
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
  }
}
