import SelfieServerTesting
import Testing

/// Tests that import nothing else can name all types of the library.
@Suite struct ExportsTests {
  @Test func `all types can be named`() async throws {
    try await SelfieServer.run { server in
      let rules: FaultRules = server.faults
      try rules.add(.status(503))
      let journal: Journal = server.requests
      let first: Exchange? = journal.exchanges().first
      #expect(first == nil)
      let snapshots: Snapshots = server.snapshots
      let saved: Snapshot = try await snapshots.save("empty")
      #expect(saved.users == 0)
    }
  }
}
