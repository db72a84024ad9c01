import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Streamed bodies whose source fails, or whose client goes away.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct StreamFailureTests {

  enum Fault: String, CaseIterable {
    case error = "unreadable: NotPossible"
    case noBytes = "too short"
    case silence = "timed out"
  }

  /// A source of three pieces, one of which it does not give.
  private static func source(_ fault: Fault, atPiece failing: Int) -> TestSource {
    let stall = Stall()
    return TestSource(count: 3 << 20) { number, bytes in
      guard number == failing else { return bytes }
      switch fault {
      case .error: throw NotPossible("broken")
      case .noBytes: return []
      case .silence:
        await stall.wait()
        return bytes
      }
    }
  }

  /// A source that gives its first piece only, and what it waits for.
  private static func sourceThatStalls() -> (TestSource, Stall) {
    let stall = Stall()
    let source = TestSource(count: 3 << 20) { number, bytes in
      if number == 1 { await stall.wait() }
      // Few enough for the sockets' buffers: the client does not read.
      return Array(bytes.prefix(1000))
    }
    return (source, stall)
  }

  private static func limits(_ fault: Fault) -> Limits {
    // Time enough for the pieces that do come, on a busy machine.
    Limits.forTests.with { if fault == .silence { $0.fetchTimeout = 1_000 } }
  }

  @Test(arguments: Fault.allCases)
  func `a source that fails at once is answered with 503, and the connection goes on`(fault: Fault) async throws {
    let source = Self.source(fault, atPiece: 0)
    try await TestServer.run(
      limits: Self.limits(fault), keepsRecords: true, handler: source.handler
    ) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.getOthers)
      let response = try await client.response()
      #expect(response.status == 503 && response.isJSONError && !response.announcesClose)
      #expect(response["x-refused"] == "/a")
      #expect(try await client.response().text == "hi")
      #expect(source.ends == [fault.rawValue])
      #expect(try await server.records(2).map(\.status) == [.serviceUnavailable, .ok])
      client.close()
      try await waitUntil { server.memory.usedBytes < 1 << 20 }
    }
  }

  @Test(arguments: Fault.allCases, [1, 2])
  func `a source that fails later ends the connection in the middle of the body`(
    fault: Fault, piece: Int
  ) async throws {
    let source = Self.source(fault, atPiece: piece)
    try await TestServer.run(
      sending: TestServer.get, limits: Self.limits(fault), keepsRecords: true, handler: source.handler
    ) { server, client in
      let received = try await client.rest()
      #expect(client.tls?.hasCloseNotify != true)
      #expect(try await source.ends(1) == [fault.rawValue])
      let record = try #require(try await server.records(1).first)
      #expect(record.status == .ok && !record.isComplete && record.bytesSent == received.count)
      #expect(received.count > piece << 20)
      #expect(try await server.answersOthers())
      client.close()
      try await server.becomesIdle()
      #expect(source.ends == [fault.rawValue])
    }
  }

  @Test func `what a source gives beyond the length is cut off`() async throws {
    let source = TestSource(count: (1 << 20) + 3) { $1 + [1, 2, 3] }
    try await TestServer.run(handler: source.handler) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.getOthers)
      #expect(try await client.response().body == source.bytes)
      #expect(try await client.response().text == "hi")
      #expect(try await source.ends(1) == ["too long"])
    }
  }

  @Test(arguments: [false, true])
  func `a piece that is being fetched is cancelled if its client goes away, or the server must end`(
    serverEnds: Bool
  ) async throws {
    let (source, stall) = Self.sourceThatStalls()
    try await TestServer.run(
      sending: TestServer.get, limits: .forTests.with { $0.drainTimeout = 1 }, keepsRecords: true,
      handler: source.handler
    ) { server, client in
      await stall.started.wait()
      if serverEnds { try await server.stop() } else { client.reset() }
      await stall.cancelled.wait()
      #expect(try await source.ends(1) == ["sent or left"])
      if serverEnds { return client.close() }
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
      #expect(source.ends.count == 1 && source.asked.count == 2)
      #expect(try await server.records(1).first?.isComplete == false)
      try await waitUntil { server.memory.usedBytes < 1 << 20 }
    }
  }
}
