import Foundation
import SelfieServerTesting
import TestSupport
import Testing

/// Faults of a server.
@Suite(.timeLimit(.minutes(10))) struct FaultsTests {
  @Test func `end with a reset`() async throws {
    try await SelfieServer.run { server in
      try server.faults.add(.status(503))
      server.clock.freeze(at: .distantPast)
      try await server.reset()
      #expect(try await App(server).signUp("jo@example.com").status == 200)
      #expect(!server.clock.isFrozen)
    }
  }

  @Test func `a server that is stopped does not wait for delayed responses`() async throws {
    var configuration = SelfieServer.Configuration()
    configuration.drain = .seconds(3600)
    let (app, held) = try await SelfieServer.run(configuration) { server in
      // An hour in all.
      try server.faults.add(Array(repeating: .delay(.seconds(60)), count: 60))
      let app = App(server)
      let held = Task { try await app.signUp("jo@example.com").status }
      try await waitUntil { server.faults.all.first?.fired == 1 }
      return (app, held)
    }
    #expect(try await held.value == 200)
    await #expect(throws: URLError.self) { try await app.signUp("jo@example.com") }
  }
}
