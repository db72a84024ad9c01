import HTTPServer
import SelfieAPI
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
    let storage = try ReplayStorage()
    defer { storage.close() }
    for _ in 1...2 {
      let clock = ReplayClock()
      let application = try storage.application(clock: clock)
      report(try await Replay(scenario: scenario, clock: clock, send: application.answer).run())
    }
  }

  @Test(arguments: Scenario.names)
  func `answers as recorded over a socket`(name: String) async throws {
    let scenario = try Scenario(named: name)
    let storage = try ReplayStorage()
    defer { storage.close() }
    let clock = ReplayClock()
    let application = try storage.application(clock: clock)
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let server = try Server(
      listener: listener, loopCount: 1,
      service: Service(respond: application.respond, refuse: application.refuse, turn: application.turn))
    try server.start()
    // Sockets block, and so does the server's end: on a thread where nobody else waits for them.
    let thread = WorkerPool(name: "client", threads: 1, waiting: 1)
    defer { thread.shutDown() }
    let connection = ReplayConnection(port: listener.port)
    let replay = Replay(scenario: scenario, clock: clock) { request in
      try await thread.run { try connection.answer(to: request) }
    }
    var failures: [String]
    do {
      failures = try await replay.run()
    } catch {
      failures = ["\(name): \(error)"]
    }
    try await thread.run {
      connection.close()
      server.stop()
    }
    report(failures)
  }

  private func report(_ failures: [String]) {
    for failure in failures { Issue.record("\(failure)") }
  }
}
