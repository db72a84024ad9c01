import APITestSupport
import Platform
import SelfieAPI
import TestSupport
import Testing

/// The server answers every request that was recorded, as the files in `Exchanges` say.
@Suite struct ExchangesTests {
  @Test(arguments: Scenario.names)
  func `each exchange of a file has a name of its own`(file: String) throws {
    let names = try Scenario(named: file).exchanges.map(\.name)
    #expect(!names.isEmpty)
    #expect(Set(names).count == names.count)
  }

  /// The second time on a database that has seen it all.
  @Test(arguments: Scenario.names)
  func `answers as recorded, and so a second time`(name: String) async throws {
    let scenario = try Scenario(named: name)
    let first = try APIFixture()
    report(try await Replay(scenario: scenario, clock: first.clock, send: first.application.response).run())
    let second = try APIFixture(after: first, clock: SettableClock())
    report(try await Replay(scenario: scenario, clock: second.clock, send: second.application.response).run())
  }

  @Test(.eachDatabase, arguments: Scenario.names)
  func `answers as recorded over a socket`(name: String) async throws {
    let scenario = try Scenario(named: name)
    let fixture = try APIFixture()
    try await fixture.serve { port in
      let connection = ReplayConnection(port: port)
      report(try await Replay(scenario: scenario, clock: fixture.clock, send: connection.response).run())
    }
  }

  private func report(_ failures: [String]) {
    for failure in failures { Issue.record("\(failure)") }
  }
}
