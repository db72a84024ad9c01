import APITestSupport
import TestSupport
import Testing

/// The server answers every request that was recorded, as the files in `Exchanges` say.
@Suite(.eachDatabase) struct ExchangesTests {
  /// The second time on a database that has seen it all.
  @Test(arguments: Scenario.names)
  func `answers as recorded, and so a second time`(name: String) async throws {
    let scenario = try Scenario(named: name)
    try #require(!scenario.exchanges.isEmpty)
    let first = try APIFixture()
    try await replay(scenario, on: first)
    try await replay(scenario, on: APIFixture(after: first, clock: SettableClock()))
  }

  private func replay(_ scenario: Scenario, on api: APIFixture) async throws {
    try await api.serve { port in
      let replay = Replay(scenario: scenario, clock: api.clock, connection: ReplayConnection(port: port))
      for failure in try await replay.run() { Issue.record("\(failure)") }
    }
  }
}
