import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

/// How a connection ends after its last response: whatever the client still sends, it can read the response.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct ConnectionEndTests {
  private static let close = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
  private static let longPost = "\(close)Content-Length: 8388608\r\n\r\n"
  private static let chunkedPost = "\(close)Transfer-Encoding: chunked\r\n\r\n800000\r\n"
  private static let half = [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)

  private static let denied: TestServer.Handler = { _ in TestServer.error(.unauthorized, "no") }

  private static let patient = Limits.forTests.with {
    ($0.endingTimeout, $0.unframedEndingTimeout) = (300_000, 300_000)
  }

  /// The last cannot be understood, so that only the client knows where its body ends.
  @Test(arguments: [
    (longPost, "", 401), (chunkedPost, "\r\n0\r\n\r\n", 401),
    ("\(close)Transfer-Encoding: gzip\r\n\r\n", nil, 400),
  ])
  func `a client that sends a body which no handler reads sees no end before it has sent all of it`(
    head: String, tail: String?, status: Int
  ) async throws {
    try await TestServer.run(sending: head, limits: Self.patient, handler: Self.denied) { server, client in
      try await client.send(Self.half)
      #expect(try await client.response().status == status)
      #expect(try await server.answersOthers())
      #expect(!client.hasBeenEnded)
      try await client.send(Self.half + Array((tail ?? "").utf8))
      if tail == nil { client.endSending() }
      #expect(try await client.isAtEnd)
      client.close()
      try await server.becomesIdle()
    }
  }

  /// The end of the first part is where a decoder could go on after the error: the rest holds a body's end and a request.
  @Test(arguments: ["GET", "DELETE", "POST"], [true, false])
  func `nothing is taken for a request after a body that is malformed`(method: String, isRead: Bool) async throws {
    let handler: TestServer.Handler = { request in
      guard isRead else { return TestServer.text("unread") }
      let isWhole = (try? await request.body.collect(upTo: 100)) != nil
      return isWhole ? TestServer.text("whole") : TestServer.error(.badRequest, "malformed")
    }
    let head = "\(method) / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n"
    try await TestServer.run(sending: head, handler: handler) { server, client in
      try await waitUntil { !server.requests.isEmpty }
      try await client.send("\r\n0\r\n\r\n\(TestServer.get)\(TestServer.getOthers)")
      client.endSending()
      #expect(try await client.response().status == (isRead ? 400 : 200))
      #expect(try await client.isAtEnd)
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: [longPost, "BAD\r\n\r\n"])
  func `a client that never ends its body sees the end in time`(request: String) async throws {
    let limits = Self.patient.with { ($0.endingTimeout, $0.unframedEndingTimeout) = (100, 100) }
    try await TestServer.run(limits: limits, handler: Self.denied) { server in
      let client = try await server.connect(sending: request)
      #expect(try await client.response().announcesClose)
      #expect(try await client.isAtEnd)
    }
  }

  @Test(arguments: [longPost, chunkedPost, "BAD\r\n\r\n"])
  func `a client that sends more than is thrown away is disconnected`(request: String) async throws {
    try await TestServer.run(limits: Self.patient.with { $0.maxEndingBytes = 1 << 20 }, handler: Self.denied) {
      server in
      let client = try await server.connect(sending: request)
      #expect(try await client.response().announcesClose)
      await #expect(throws: RawClient.Failure.self) {
        while true { try await client.send(Self.half) }
      }
      try await server.becomesIdle()
    }
  }

  @Test func `only so many connections are kept open for what nobody reads`() async throws {
    try await TestServer.run(limits: Self.patient.with { $0.maxEndingConnections = 1 }, handler: Self.denied) {
      server in
      for _ in 0..<3 {
        let (first, second) = (try await server.connect(), try await server.connect())
        #expect(try await first.response(to: Self.longPost).status == 401)
        #expect(try await second.response(to: Self.longPost).status == 401)
        #expect(try await second.isAtEnd)
        #expect(!first.hasBeenEnded)
        first.close()
        second.close()
        try await server.becomesIdle()
      }
    }
  }

  @Test func `bytes that no event has reported yet do not turn the end into a reset`() async throws {
    let loop = StandStill()
    try await TestServer.run(handler: loop.handler) { server in
      let client = try await server.connect(sending: "GET /busy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      await loop.begun.wait()
      try await client.send("\r\n")
      loop.goOn()
      #expect(try await client.response().status == 200)
      #expect(try await client.isAtEnd)
    }
  }

  @Test(.plainOnly) func `a client for which there is no room may send its request all the same`() async throws {
    try await TestServer.run(limits: Self.patient.with { $0.maxConnections = 1 }) { server in
      let first = try await server.connectWithRequest()
      for _ in 0..<3 {
        let another = try await server.connect()
        let response = try await another.response()
        #expect(response.status == 503)
        #expect(response.isJSONError && response.announcesClose)
        for _ in 0..<3 { try await another.send(Self.half) }
        another.endSending()
        #expect(try await another.isAtEnd)
      }
      #expect(server.statistics[.refused] == 3 && server.statistics[.accepted] == 4)
      #expect(try await first.response(to: "x").status == 200)
    }
  }

  @Test(.plainOnly) func `beyond those few, clients without room are told 503 and closed at once`() async throws {
    let limits = Self.patient.with { ($0.maxConnections, $0.maxRefusedClients) = (1, 1) }
    try await TestServer.run(limits: limits) { server in
      let first = try await server.connectWithRequest()
      let (second, third) = (try await server.connect(), try await server.connect())
      for client in [second, third] { #expect(try await client.response().status == 503) }
      #expect(try await third.isAtEnd)
      #expect(!second.hasBeenEnded)
      first.close()
    }
  }

  @Test func `a request that has arrived on an idle connection is answered at a stop`() async throws {
    let loop = StandStill()
    try await TestServer.run(handler: loop.handler) { server in
      let (idle, silent, busy) = (
        try await server.connect(), try await server.connect(), try await server.connect()
      )
      #expect(try await idle.isServed)
      try await busy.send(StandStill.request)
      await loop.begun.wait()
      try await idle.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      async let stopped: Void = server.stop()
      try await server.hasBeenToldToStop()
      loop.goOn()
      let last = try await idle.response()
      #expect(last.status == 200)
      #expect(last.announcesClose)
      #expect(try await idle.isAtEnd)
      #expect(try await silent.isAtEnd)
      #expect(try await busy.response().status == 200)
      try await stopped
      #expect(server.requests == ["get /a", "get /busy", "get /b"])
    }
  }
}
