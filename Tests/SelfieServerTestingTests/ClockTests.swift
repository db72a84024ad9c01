import Foundation
import SelfieServerTesting
import Testing

/// The clock of a server.
@Suite struct ClockTests {
  @Test func `stands still, and goes on`() async throws {
    try await SelfieServer.run { server in
      let newYear = Date(timeIntervalSince1970: 1_767_225_600)
      server.clock.freeze(at: newYear)
      #expect(server.clock.now == newYear)
      server.clock.advance(by: .milliseconds(-1500))
      #expect(server.clock.now == newYear.addingTimeInterval(-1.5))
      server.clock.set(to: newYear)
      server.clock.freeze()
      #expect(server.clock.now == newYear)
    }
  }
}
