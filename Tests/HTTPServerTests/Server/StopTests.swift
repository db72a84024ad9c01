import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

// The time limit ends a test that waits for ever for a server.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct StopTests {

  @Test func `a server that stops finishes what it has begun, closes what is idle and takes nothing new`() async throws
  {
    let (started, gate) = (Gate(), Gate())
    try await TestServer.run(
      handler: { request in
        if request.head.path.elementsEqual("/a".utf8) {
          started.open()
          await gate.wait()
        }
        return TestServer.text("done")
      }
    ) { server in
      let idle = try await server.connect(sending: "GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await idle.response().status == 200)
      let busy = try await server.connect(sending: TestServer.get)
      await started.wait()

      async let stopped: Void = server.stop()
      #expect(try await idle.isAtEnd)
      // Idle connections are closed before the listener is shut.
      await server.refusesConnections()
      gate.open()
      let response = try await busy.response()
      #expect(response.text == "done")
      #expect(response.announcesClose)
      #expect(try await busy.isAtEnd)
      try await stopped
      await #expect(throws: RawClient.Failure.self) { try await server.connect() }
    }
  }

  @Test func `a stopping server reads the body of a request it has begun`() async throws {
    let started = Gate()
    try await TestServer.run(handler: { request in
      started.open()
      return await TestServer.answerOK(request)
    }) { server in
      let client = try await server.connect(sending: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
      await started.wait()
      async let stopped: Void = server.stop()
      await server.refusesConnections()
      #expect(try await client.response(to: "llo").text == "post /a 5")
      try await stopped
    }
  }

  /// Over TLS, its handshake is still to come.
  @Test(.plainOnly, arguments: [nil, .forTests] as [TLSContext?])
  func `a connection that has just been accepted gets a response to its first request`(tls: TLSContext?) async throws {
    try await TestServer.run(tls: tls, limits: .forTests.with { $0.firstRequestTimeout = 300_000 }) { server in
      let client = try await server.connect()
      try await server.has(connections: 1)
      async let stopped: Void = server.stop()
      await server.refusesConnections()
      if tls != nil { try await client.startTLS() }
      let response = try await client.response(to: TestServer.get)
      #expect(response.status == 200 && response.announcesClose)
      try await stopped
    }
  }

  @Test(arguments: ["G", "GET /up HT", "GET / HTTP/1.1\r\nHost: a\r\nX", TestServer.get + "GET /b HT"])
  func `half a head is no request to wait for`(sent: String) async throws {
    try await TestServer.run(sending: sent, limits: .forTests.with { $0.drainTimeout = 300_000 }) { server, client in
      if sent.hasPrefix(TestServer.get) { #expect(try await client.response().status == 200) }
      try await server.stop()
      #expect(try await client.rest() == [])
    }
  }

  @Test func `what is not done in time is cut off, and cancelled`() async throws {
    let stall = Stall()
    let limits = Limits.forTests.with { $0.drainTimeout = 100 }
    try await TestServer.run(sending: TestServer.get, limits: limits, handler: stall.handler) { server, client in
      await stall.started.wait()
      try await server.stop()
      await stall.cancelled.wait()
      #expect((try? await client.rest()) ?? [] == [])
    }
  }

  @Test(arguments: [1, 4])
  func `a server can be stopped as soon as it has started, and twice`(loops: Int) async throws {
    try await TestServer.run(loops: loops) { server in
      try await server.stop()
      await #expect(throws: RawClient.Failure.self) { try await server.connect() }
    }
  }

  @Test func `every loop serves from the first connection on`() async throws {
    for _ in 0..<20 {
      try await TestServer.run(loops: 4) { server in
        let clients = try await (0..<8).asyncMap { _ in try await server.connect() }
        for client in clients { try await client.send(TestServer.get) }
        for client in clients { #expect(try await client.response().status == 200) }
      }
    }
  }

}

extension Sequence {
  /// One after the other.
  func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
