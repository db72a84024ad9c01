import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

// The time limit ends a test that waits for ever for a server.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct TimeLimitTests {
  /// Sends the same again and again until that fails, since the server has closed the connection in spite of it.
  private static func sendUntilClosed(_ text: String, to client: RawClient) async throws {
    do {
      while true {
        try await client.send(text)
        try await Task.sleep(for: .milliseconds(10))
      }
    } catch is RawClient.Failure {}
  }

  private static let post = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"

  @Test func `an idle connection is closed without a response`() async throws {
    try await TestServer.run(limits: .forTests.with { $0.idleTimeout = 100 }) { server in
      let fresh = try await server.connect()
      #expect(try await fresh.isAtEnd)
    }
    try await TestServer.run(limits: .forTests.with { $0.idleTimeout = 5_000 }) { server, used in
      #expect(try await used.isServed)
      #expect(try await used.isAtEnd)
      try await server.becomesIdle()
    }
  }

  @Test(arguments: ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r", post, post + "hel"])
  func `a head or a body that does not come to its end is answered with 408`(start: String) async throws {
    let limits = Limits.forTests.with { ($0.headTimeout, $0.bodyTimeout) = (100, 100) }
    try await TestServer.run(sending: start, limits: limits) { server, client in
      let response = try await client.response()
      #expect(response.status == 408)
      #expect(response.isJSONError && response.announcesClose)
      #expect(try await client.isAtEnd)
      // A body is the handler's to answer.
      #expect(server.requests == (start.hasPrefix("POST") ? ["post /a"] : []))
    }
  }

  @Test func `a head that comes byte by byte has no more time than any other`() async throws {
    try await TestServer.run(limits: .forTests.with { ($0.headTimeout, $0.lingerTimeout) = (200, 100) }) { server in
      let client = try await server.connect(sending: "GET / HTTP/1.1\r\nHost: a\r\nX: ")
      async let response = client.response()
      try await Self.sendUntilClosed("x", to: client)
      #expect(try await response.status == 408)
    }
  }

  @Test func `empty lines do not keep a connection open`() async throws {
    let limits = Limits.forTests.with { ($0.idleTimeout, $0.headTimeout) = (1_000, 1_000) }
    try await TestServer.run(limits: limits) { server, client in
      try await Self.sendUntilClosed("\r\n", to: client)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `a handler's time begins anew with each byte of its body`() async throws {
    let stall = Stall()
    try await TestServer.run(
      sending: Self.post + "hell", limits: .forTests.with { $0.handlerTimeout = 5_000 },
      handler: { request in
        request.head.method == .post ? await TestServer.answerOK(request) : await stall.handler(request)
      }
    ) { server, client in
      // A request that began later has used up the time of a handler.
      #expect(try await server.connect(sending: TestServer.get).response().status == 503)
      try await client.send("o")
      #expect(try await client.response().text == "post /a 5")
    }
  }

  @Test func `a handler that takes too long is cancelled, and its client gets 503`() async throws {
    let stall = Stall()
    try await TestServer.run(limits: .forTests.with { $0.handlerTimeout = 100 }, handler: stall.handler) {
      server in
      let client = try await server.connect(sending: TestServer.get)
      let response = try await client.response()
      #expect(response.status == 503)
      #expect(response.isJSONError && response.announcesClose)
      #expect(try await client.isAtEnd)
      await stall.cancelled.wait()
      client.close()
      try await server.becomesIdle()
    }
  }

  @Test func `a client that takes nothing of its response is disconnected`() async throws {
    let body = [UInt8](repeating: 7, count: 16 << 20)
    let started = Gate()
    try await TestServer.run(
      receiveBuffer: 4096, sending: TestServer.get, limits: .forTests.with { $0.writeTimeout = 100 },
      handler: { _ in
        started.open()
        return Response(status: .ok, body: .bytes(body))
      }
    ) { server, client in
      await started.wait()
      try await server.becomesIdle()
      let received = try? await client.rest()
      #expect((received?.count ?? 0) < body.count)
    }
  }

  @Test(arguments: [(300, 300), (60_000, 100)] as [(Int64, Int64)])
  func `a refused client that goes on sending is disconnected in the end, and one that falls silent sooner`(
    timeout: Int64, pause: Int64
  ) async throws {
    let limits = Limits.forTests.with { ($0.lingerTimeout, $0.lingerPauseTimeout) = (timeout, pause) }
    try await TestServer.run(sending: "BAD\r\n\r\n", limits: limits) { server, client in
      #expect(try await client.response().status == 400)
      if pause == timeout { try await Self.sendUntilClosed("x", to: client) } else { try await server.becomesIdle() }
    }
  }
}

/// A task that waits to be cancelled.
struct Stall: Sendable {
  let started = Gate()
  let cancelled = Gate()

  func wait() async {
    started.open()
    await withTaskCancellationHandler {
      await cancelled.wait()
    } onCancel: {
      cancelled.open()
    }
  }

  var handler: TestServer.Handler {
    { _ in
      await wait()
      return TestServer.text("too late")
    }
  }
}
