import Foundation
import SelfieServerTesting
import Testing

/// The clock of a server.
@Suite struct ClockTests {
  @Test func `stands still, and goes on`() async throws {
    try await SelfieServer.run { server in
      let newYear = Date(timeIntervalSince1970: 1_767_225_600)
      server.clock.freeze(at: newYear)
      #expect(server.clock.isFrozen)
      #expect(server.clock.now == newYear)
      server.clock.advance(by: .milliseconds(-1500))
      #expect(server.clock.now == newYear.addingTimeInterval(-1.5))
      server.clock.set(to: newYear)
      server.clock.run()
      #expect(!server.clock.isFrozen)
      #expect(server.clock.now.timeIntervalSince(newYear) < 60)
      server.clock.freeze()
      let now = server.clock.now
      #expect(server.clock.now == now)
    }
  }
}
