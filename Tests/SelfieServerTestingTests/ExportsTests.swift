import SelfieServerTesting
import Testing

/// What a server has and answers can be named by tests that import nothing else.
@Suite struct ExportsTests {
  @Test func `can be written`() async throws {
    try await SelfieServer.run { server in
      let rules: FaultRules = server.faults
      try rules.add(.status(503))
      let journal: Journal = server.requests
      let first: Exchange? = journal.exchanges().first
      #expect(first == nil)
      let snapshots: Snapshots = server.snapshots
      let saved: Snapshots.Summary = try await snapshots.save("empty")
      let counts: StateCounts = saved.counts
      #expect(counts == StateCounts())
    }
  }
}
