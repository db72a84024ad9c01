import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Bodies of unknown length, which are fetched while they are sent.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct PagesTests {
  private static let page = 1000

  private static func handler(_ source: TestSource) -> TestServer.Handler {
    { _ in Response(status: .ok, body: source.pages(ofBytes: page)) }
  }

  @Test(arguments: [0, 1, 999, 1000, 1001, 300_000])
  func `a body arrives whole in chunks, and the connection goes on`(count: Int) async throws {
    let source = TestSource(count: count)
    try await TestServer.run(keepsRecords: true, handler: Self.handler(source)) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.get + TestServer.getOthers)
      for _ in 0..<2 {
        let response = try await client.response()
        #expect(response["transfer-encoding"] == "chunked" && response["content-length"] == nil)
        #expect(!response.announcesClose)
        #expect(response.body == source.bytes)
      }
      #expect(try await client.response().text == "hi")
      #expect(try await source.ends(2) == ["sent or left", "sent or left"])
      #expect(try await server.records(3).allSatisfy(\.isComplete))
    }
  }

  @Test func `a client of HTTP 1.0 reads to the end of the connection`() async throws {
    let source = TestSource(count: 5_500)
    try await TestServer.run(handler: Self.handler(source)) { server in
      let client = try await server.connect(sending: "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let response = try #require(RawResponse(all: try await client.rest()))
      #expect(response["transfer-encoding"] == nil && response["content-length"] == nil && response.announcesClose)
      #expect(response.body == source.bytes)
    }
  }

  @Test(arguments: ["1.0", "1.1"])
  func `a source that fails in the middle breaks the connection`(version: String) async throws {
    let source = TestSource(count: 5_500) { number, bytes in
      guard number < 3 else { throw NotPossible("broken") }
      return bytes
    }
    try await TestServer.run(keepsRecords: true, handler: Self.handler(source)) { server in
      let client = try await server.connect(sending: "GET /a HTTP/\(version)\r\nHost: a\r\n\r\n")
      // A reset, or an end before the last chunk.
      let rest = try? await client.rest()
      #expect(rest?.suffix(5).elementsEqual("0\r\n\r\n".utf8) != true)
      #expect((rest == nil) == (version == "1.0") || client.tls != nil)
      #expect(try await source.ends(1) == ["unreadable: NotPossible"])
      #expect(try await server.records(1).first?.isComplete == false)
      #expect(try await server.answersOthers())
    }
  }

  @Test func `only what the client has not taken is in memory`() async throws {
    let source = TestSource(count: 4 << 20)
    let memory = MemoryBudget(limit: 1 << 20)
    try await TestServer.run(
      receiveBuffer: 16 * 1024, sending: TestServer.get, memory: memory,
      handler: { _ in Response(status: .ok, body: source.pages(ofBytes: 64 * 1024)) }
    ) { server, client in
      #expect(try await client.response().body == source.bytes)
      client.close()
      try await server.becomesIdle()
      #expect(memory.peakBytes < 512 * 1024)
    }
  }
}
