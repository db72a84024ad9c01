import SelfieServerTesting
import Testing

/// What a server has and answers can be named by tests that import nothing else.
@Suite struct `The names of a server's parts` {
  private func rules(of server: SelfieServer) -> FaultRules { server.faults }
  private func journal(of server: SelfieServer) -> Journal { server.requests }
  private func first(of server: SelfieServer) -> Exchange? { server.requests.exchanges().first }
  private func snapshots(of server: SelfieServer) -> Snapshots { server.snapshots }
  private func counts(of snapshot: Snapshots.Summary) -> StateCounts { snapshot.counts }

  @Test func `can be written`() async throws {
    try await SelfieServer.run { server in
      try rules(of: server).add(.status(503))
      #expect(journal(of: server).count() == 0)
      #expect(first(of: server) == nil)
      let saved = try await snapshots(of: server).save("empty")
      #expect(counts(of: saved).users == 0)
    }
  }
}
