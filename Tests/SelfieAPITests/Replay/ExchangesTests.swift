import APITestSupport
import SelfieAPI
import TestSupport
import Testing
import Platform

/// The server answers every request that was recorded, as the files in `Exchanges` say.
@Suite struct ExchangesTests {
  @Test func `every recorded exchange is there`() throws {
    let scenarios = try Scenario.names.map(Scenario.init(named:))
    #expect(scenarios.count == 33)
    // Three were added to the 683 that were recorded; see nul.http.
    #expect(scenarios.map(\.exchanges.count).reduce(0, +) == 686)
    for scenario in scenarios {
      #expect(Set(scenario.exchanges.map(\.name)).count == scenario.exchanges.count, "\(scenario.name): names repeat")
    }
  }

  /// The second time on a database that has seen it all.
  @Test(arguments: Scenario.names)
  func `answers as recorded, and so a second time`(name: String) async throws {
    let scenario = try Scenario(named: name)
    let first = try APIFixture()
    report(try await Replay(scenario: scenario, clock: first.clock, send: first.application.answer).run())
    let second = try APIFixture(after: first, clock: SettableClock())
    report(try await Replay(scenario: scenario, clock: second.clock, send: second.application.answer).run())
  }

  @Test(arguments: Scenario.names)
  func `answers as recorded over a socket`(name: String) async throws {
    let scenario = try Scenario(named: name)
    let fixture = try APIFixture()
    try await fixture.serve { port in
      let connection = ReplayConnection(port: port)
      report(try await Replay(scenario: scenario, clock: fixture.clock, send: connection.answer).run())
    }
  }

  private func report(_ failures: [String]) {
    for failure in failures { Issue.record("\(failure)") }
  }
}
