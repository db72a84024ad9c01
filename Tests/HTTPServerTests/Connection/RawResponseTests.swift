import Glibc
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

/// Responses that the application writes whole, with their heads.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct RawResponseTests {
  @Test(arguments: ["GET", "HEAD"], [0, 1, 1_000, 3 << 20])
  func `the bytes of the source are sent as they are, and the connection ends after them`(
    method: String, count: Int
  ) async throws {
    let source = TestSource(count: count)
    try await TestServer.run(keepsRecords: true, handler: source.rawHandler) { server in
      // What is sent ahead is not answered.
      let client = try await server.connect(sending: method + TestServer.get.dropFirst(3) + TestServer.get)
      #expect(try await client.rest() == source.bytes)
      client.close()
      #expect(server.requests.count == 1)
      #expect(try await source.ends(1) == ["sent or left"])
      let record = try #require(try await server.records(1).first)
      #expect(record.status == .noContent && record.isComplete && record.bytesSent == count)
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  @Test(arguments: [
    TestServer.get, TestServer.get + TestServer.get,
    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe", "HEAD" + TestServer.get.dropFirst(3),
  ])
  func `a source that fails at once is a reset, without a byte before it`(request: String) async throws {
    let source = TestSource(count: 1) { _, _ in throw NotPossible("broken") }
    try await TestServer.run(sending: request, keepsRecords: true, handler: source.rawHandler) { server, client in
      await #expect(throws: RawClient.Failure.system(call: "recv", number: ECONNRESET)) {
        try await client.receiveOnce()
      }
      #expect(server.requests.count == 1)
      let record = try #require(try await server.records(1).first)
      #expect(!record.isComplete && record.bytesSent == 0)
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }
}
