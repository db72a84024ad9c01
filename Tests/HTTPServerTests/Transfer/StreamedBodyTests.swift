import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Bodies that are fetched while they are sent.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct StreamedBodyTests {

  @Test(arguments: [0, 1, 999, 1000, 1001, 1 << 20, (3 << 20) + 5], [true, false])
  func `a body arrives whole, and the connection goes on`(count: Int, hasLength: Bool) async throws {
    let source = TestSource(count: count)
    let handler = hasLength ? source.handler : source.pagesHandler
    try await TestServer.run(keepsRecords: true, handler: handler) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.get + TestServer.getOthers)
      for _ in 0..<2 {
        let response = try await client.response()
        #expect(response["content-length"] == (hasLength ? "\(count)" : nil) && !response.announcesClose)
        #expect(response["transfer-encoding"] == (hasLength ? nil : "chunked"))
        #expect(response.body == source.bytes)
      }
      #expect(try await client.response().text == "hi")
      #expect(try await source.ends(2) == ["sent or left", "sent or left"])
      #expect(try await server.records(3).allSatisfy(\.isComplete))
      guard hasLength else { return }
      let whole = stride(from: 0, to: Int64(count), by: BodyStream.maxPieceBytes).map {
        $0..<min($0 + Int64(BodyStream.maxPieceBytes), Int64(count))
      }
      #expect(source.asked == whole + whole)
    }
  }

  @Test func `pieces may be shorter than asked for, and others are served between them`() async throws {
    let source = TestSource(count: 10_000) { number, bytes in Array(bytes.prefix(1 + number % 7)) }
    try await TestServer.run(handler: source.handler) { server in
      let client = try await server.connect(sending: TestServer.get)
      #expect(try await server.answersOthers())
      #expect(try await client.response().body == source.bytes)
    }
  }

  @Test(arguments: [5..<100, 1_000_000..<2_001_000, 7..<7] as [Range<Int64>])
  func `a part of it, as of a file`(range: Range<Int64>) async throws {
    let source = TestSource(count: 2_001_000)
    try await TestServer.run(handler: { _ in Response(status: .partialContent, body: source.part(range)) }) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.get)
      for _ in 0..<2 {
        #expect(try await client.response().body[...] == source.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      }
      #expect(source.asked.allSatisfy { range.contains($0.lowerBound) })
    }
  }

  @Test func `HEAD has the length, and the source is not asked`() async throws {
    let source = TestSource(count: 3_000)
    try await TestServer.run(handler: source.handler) { server in
      let client = try await server.connect(sending: "HEAD" + TestServer.get.dropFirst(3) + TestServer.getOthers)
      #expect(try await client.response(hasBody: false)["content-length"] == "3000")
      #expect(try await client.response().text == "hi")
      #expect(try await source.ends(1) == ["sent or left"])
      #expect(source.asked == [])
    }
  }

  @Test func `no piece is asked for before the client has taken the one before, and one is in memory`() async throws {
    let running = Monitor<TestServer?>(nil)
    let early = Monitor<[String]>([])
    let source = TestSource(count: 16 << 20) { number, bytes in
      guard let server = running.withLock({ $0 }) else { throw NotPossible("broken") }
      let (sent, used) = (server.statistics[.sentBytes], server.memory.usedBytes)
      if sent < number << 20 || used > (1 << 20) + 128 * 1024 {
        early.withLock { $0.append("piece \(number): \(sent) bytes sent, \(used) used") }
      }
      return bytes
    }
    try await TestServer.run(handler: source.handler) { server in
      running.withLock { $0 = server }
      defer { running.withLock { $0 = nil } }
      let client = try await server.connect(receiveBuffer: 16 * 1024, sending: TestServer.get)
      #expect(try await client.response().body == source.bytes)
      #expect(source.asked.count == 16)
      #expect(early.withLock { $0 } == [])
      client.close()
      try await server.becomesIdle()
      try await waitUntil { server.memory.usedBytes < 1 << 20 }
    }
  }

  @Test func `what is asked for while the server has no memory is refused, and the source is not asked`() async throws {
    let source = TestSource(count: 1 << 20)
    let memory = MemoryBudget(limit: 4 << 20)
    try await TestServer.run(
      limits: .forTests.with { $0.shortageDelay = 300_000 }, memory: memory, handler: source.handler
    ) { _, client in
      memory.add(memory.limit)
      let refused = try await client.response(to: TestServer.get)
      #expect(refused.status == 503 && refused.isJSONError && refused["x-refused"] == "/a")
      #expect(source.asked == [] && source.ends == ["out of memory"])
      memory.subtract(memory.limit)
      #expect(try await client.response(to: TestServer.get).body == source.bytes)
    }
  }

  @Test func `a server that stops sends what it has begun`() async throws {
    let (asked, gate) = (Gate(), Gate())
    let source = TestSource(count: 3 << 20) { number, bytes in
      if number == 1 {
        asked.open()
        await gate.wait()
      }
      return bytes
    }
    try await TestServer.run(sending: TestServer.get, handler: source.handler) { server, client in
      await asked.wait()
      async let stopped: Void = server.stop()
      await server.refusesConnections()
      gate.open()
      #expect(try await client.response().body == source.bytes)
      #expect(try await client.isAtEnd)
      try await stopped
    }
  }

  // MARK: - Of unknown length

  @Test func `a client of HTTP 1.0 reads to the end of the connection`() async throws {
    let source = TestSource(count: 5_500)
    try await TestServer.run(handler: source.pagesHandler) { server in
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
    try await TestServer.run(keepsRecords: true, handler: source.pagesHandler) { server in
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
