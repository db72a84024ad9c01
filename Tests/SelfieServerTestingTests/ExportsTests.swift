import SelfieServerTesting
import Testing

/// Tests that import nothing else can name the documents of the library.
@Suite struct ExportsTests {
  @Test func `all documents can be named`() async throws {
    try await SelfieServer.run { server in
      let rule = FaultRule.status(503)
      try await server.faults.add([rule, .status(422, json: #"{"a":[1,null]}"#)])
      let listed: [ListedFault] = try await server.faults.all
      #expect(listed.map(\.status) == [503, 422])
      #expect(listed.last?.body == .object(["a": .array([.number("1"), .null])]))
      #expect(throws: (any Error).self) { try FaultRule.status(422, json: "{") }
      let kinds: [ConnectionFault.Kind] = ConnectionFault.Kind.allCases
      #expect(kinds.contains(.refused))
      let filter = ExchangeFilter.post("/api/signup")
      let first: Exchange? = try await server.requests.exchanges(matching: filter).first
      #expect(first == nil)
      let saved: Snapshot = try await server.snapshots.save("a-name")
      let counts: StateCounts = saved.second
      #expect(counts.users == 0)
      #expect(try await server.snapshots.all == [saved])
      try await server.snapshots.remove("a-name")
      #expect(try await server.snapshots.all.isEmpty)
    }
  }
}
