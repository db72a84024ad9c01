import Foundation
import SelfieServerTesting
import Testing

/// The clock of a server.
@Suite struct ClockTests {
  @Test func `stands still, and goes on`() async throws {
    try await SelfieServer.run { server in
      let newYear = Date(timeIntervalSince1970: 1_767_225_600)
      try await server.clock.freeze(at: newYear)
      #expect(try await server.clock.now == newYear)
      try await server.clock.advance(by: .milliseconds(-1500))
      #expect(try await server.clock.now == newYear.addingTimeInterval(-1.5))
      try await server.clock.set(to: newYear)
      try await server.clock.freeze()
      #expect(try await server.clock.now == newYear)
      #expect(try await server.clock.isFrozen)
      try await server.clock.run()
      #expect(try await !server.clock.isFrozen)
      try await server.clock.reset()
      #expect(try await server.clock.now > newYear)
    }
  }
}
