import Foundation
import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Responses that are not sent whole.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct TransportFaultTests {
  private static let bytes = Array(patternOf: 1_000)

  /// The same body, from memory, from a file and fetched while it is sent.
  enum Source: CaseIterable, Sendable {
    case memory, file, stream

    func body() throws -> Response.Body {
      switch self {
      case .memory: .bytes(TransportFaultTests.bytes)
      case .file: .file(try .temporary(TransportFaultTests.bytes), offset: 0, length: 1_000)
      case .stream: TestSource(count: TransportFaultTests.bytes.count).body
      }
    }
  }

  /// Responds with the body, delivered so.
  private static func handler(_ fault: TransportFault, _ body: Response.Body = .bytes(bytes)) -> TestServer.Handler {
    { _ in
      var response = Response(status: .ok, body: body)
      response.transportFault = fault
      return response
    }
  }

  // MARK: - Dropped

  @Test(arguments: [
    TestServer.get, TestServer.get + TestServer.get,
    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe", "HEAD" + TestServer.get.dropFirst(3),
  ])
  func `a dropped response is a reset, without a byte before it`(request: String) async throws {
    try await TestServer.run(sending: request, handler: Self.handler(.dropped)) { server, client in
      await #expect(throws: RawClient.Failure.system(call: "recv", number: ECONNRESET)) {
        try await client.receiveOnce()
      }
      #expect(server.requests.count == 1)
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  // MARK: - Truncated

  @Test(arguments: Source.allCases, [0, 1, 999, 1_000, .max])
  func `a truncated response promises the whole and ends early`(source: Source, count: Int64) async throws {
    try await TestServer.run(handler: Self.handler(.truncated(after: count), try source.body())) { server, client in
      // What is sent ahead is not answered, since the connection is lost.
      try await client.send(TestServer.get + TestServer.get)
      let response = try #require(RawResponse(all: try await client.rest()))
      #expect(response.status == 200 && response["content-length"] == "1000" && !response.announcesClose)
      #expect(response.body[...] == Self.bytes.prefix(Int(clamping: count)))
      #expect(server.requests == ["get /a"])
      client.close()
      let other = try await server.connect(sending: "HEAD" + TestServer.get.dropFirst(3))
      #expect(try await other.response(hasBody: false)["content-length"] == "1000")
      #expect(try await other.isAtEnd)
      other.close()
      try await server.becomesIdle()
    }
  }

  // MARK: - Malformed

  @Test(arguments: Source.allCases)
  func `bytes take the place of the head`(source: Source) async throws {
    let head = Array(latin1: "HTTP/1.1 \u{ff}\u{0}\r\n\r\n")
    try await TestServer.run(handler: Self.handler(.malformed(head: head), try source.body())) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.get)
      #expect(try await client.rest() == head + Self.bytes)
      client.close()
      let other = try await server.connect(sending: "HEAD" + TestServer.get.dropFirst(3))
      #expect(try await other.rest() == head)
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  // MARK: - Throttled

  @Test(arguments: Source.allCases)
  func `a throttled response arrives whole, takes its time and keeps the connection`(source: Source) async throws {
    try await TestServer.run(handler: Self.handler(.throttled(piece: 100, pause: 15), try source.body())) { server in
      let client = try await server.connect()
      let start = ContinuousClock.now
      // Requests that are sent ahead wait for their turn.
      #expect(try await client.response(to: TestServer.get + TestServer.get + TestServer.getOthers).body == Self.bytes)
      #expect(try await client.response().body == Self.bytes)
      #expect(ContinuousClock.now - start >= .milliseconds(2 * 9 * 15))
      #expect(try await client.response().text == "hi")
    }
  }

  @Test func `the first piece comes at once, and others are served in the pause`() async throws {
    try await TestServer.run(handler: Self.handler(.throttled(piece: 600, pause: 60_000))) { server in
      let client = try await server.connect(sending: TestServer.get)
      #expect(try await client.receiveOnce().suffix(600) == Self.bytes.prefix(600))
      #expect(try await server.answersOthers())
      client.reset()
      try await server.becomesIdle()
    }
  }

  @Test func `pauses are not taken for a client that stalls`() async throws {
    var limits = Limits.forTests
    limits.writeTimeout = 500
    limits.handlerTimeout = 500
    try await TestServer.run(limits: limits, handler: Self.handler(.throttled(piece: 600, pause: 1_000))) { server in
      let client = try await server.connect(sending: TestServer.get)
      #expect(try await client.response().body == Self.bytes)
    }
  }

  @Test func `HEAD, nothing to send, and pieces of no size`() async throws {
    try await TestServer.run(handler: Self.handler(.throttled(piece: 0, pause: -1))) { server in
      let client = try await server.connect(sending: "HEAD" + TestServer.get.dropFirst(3) + TestServer.get)
      #expect(try await client.response(hasBody: false)["content-length"] == "1000")
      #expect(try await client.response().body == Self.bytes)
    }
    try await TestServer.run(handler: Self.handler(.throttled(piece: 1, pause: 60_000), .bytes([]))) { server in
      let client = try await server.connect(sending: TestServer.get)
      #expect(try await client.response().body.isEmpty)
    }
  }

  @Test func `a server that stops sends what is left at once`() async throws {
    try await TestServer.run(handler: Self.handler(.throttled(piece: 1, pause: 3_600_000))) { server in
      let client = try await server.connect(sending: TestServer.get)
      let start = try await client.receiveOnce()
      async let stopped: Void = server.stop()
      let response = try #require(RawResponse(all: start + (try await client.rest())))
      #expect(response.body == Self.bytes)
      try await stopped
    }
  }
}
