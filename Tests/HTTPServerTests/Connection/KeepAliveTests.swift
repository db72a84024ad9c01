import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

// The time limit ends a test that waits for ever for a server.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct KeepAliveTests {

  private static let denied: TestServer.Handler = { request in
    request.head.method == .get ? TestServer.text("hi") : TestServer.error(.unauthorized, "no")
  }

  private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
  private static let half = [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)

  @Test(arguments: [
    ("Content-Length: 8388608\r\n\r\n", ""), ("Transfer-Encoding: chunked\r\n\r\n800000\r\n", "\r\n0\r\n\r\n"),
  ])
  func `a request that is refused before its body has arrived does not end the connection`(
    start: String, end: String
  ) async throws {
    try await TestServer.run(handler: Self.denied) { server, client in
      for _ in 0..<2 {
        let response = try await client.response(to: Self.post + start)
        #expect(response.status == 401 && !response.announcesClose)
        try await client.send(Self.half + Self.half + Array((end + TestServer.get).utf8))
        #expect(try await client.response().status == 200)
      }
      #expect(server.requests == ["post /", "get /a", "post /", "get /a"])
    }
  }

  @Test(arguments: ["Content-Length: 8388608\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n800000\r\n"], [true, false])
  func `a refused body that is too long or too slow ends it`(start: String, isTooLong: Bool) async throws {
    let limits = Limits.forTests.with {
      if isTooLong { $0.maxEndingBytes = 1 << 20 } else { $0.bodyTimeout = 100 }
    }
    try await TestServer.run(limits: limits, handler: Self.denied) { server, client in
      let response = try await client.response(to: Self.post + start)
      #expect(response.status == 401)
      // The length of a chunked body is not known.
      #expect(response.announcesClose == (isTooLong && start.hasPrefix("Content-Length")))
      if isTooLong {
        await #expect(throws: RawClient.Failure.self) {
          while true { try await client.send(Self.half) }
        }
      } else {
        #expect(try await client.isAtEnd)
      }
      #expect(server.requests == ["post /"])
    }
  }

  @Test(arguments: ["GET", "DELETE", "OPTIONS"])
  func `after a chunked body that nobody reads, the next request is answered`(method: String) async throws {
    try await TestServer.run(handler: { request in
      Response(status: .ok, body: .bytes(Array(request.head.path)))
    }) { _, client in
      let chunk = "5;a=b\r\nhello\r\n"
      for number in 1...3 {
        let request = "\(method) /\(number) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await client.send(request + String(repeating: chunk, count: 100) + "0\r\nX: y\r\n\r\n")
        let response = try await client.response()
        #expect(response["connection"] == nil)
        #expect(response.text == "/\(number)")
      }
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `requests sent ahead are answered in order, whatever the pieces`(piece: Int) async throws {
    try await TestServer.run { _, client in
      let all = Array(
        (1...200).map {
          "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: \($0 % 5)\r\n\r\n" + "xxxxx".prefix($0 % 5)
        }
        .joined().utf8)
      for start in stride(from: 0, to: all.count, by: piece * 97) {
        try await client.send(Array(all[start..<min(start + piece * 97, all.count)]))
      }
      for number in 1...200 { #expect(try await client.response().text == "post /\(number) \(number % 5)") }
    }
  }

  @Test func `requests sent ahead wait for a response that takes its time`() async throws {
    let gate = Gate()
    let handler: TestServer.Handler = { request in
      if request.head.path.elementsEqual("/slow".utf8) { await gate.wait() }
      return TestServer.text("done")
    }
    try await TestServer.run(handler: handler) { server in
      let client = try await server.connect(sending: "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + TestServer.get)
      #expect(try await server.answersOthers())
      #expect(server.requests == ["get /slow", "get /others"])
      gate.open()
      for _ in 0..<2 { #expect(try await client.response().status == 200) }
      #expect(server.requests == ["get /slow", "get /others", "get /a"])
    }
  }

  @Test(arguments: [["\r\n"], ["\r\n\r\n\r\n"], ["\r", "\n"], ["\r\n\r", "\n\r\n"], ["\n"], ["\n", "\r", "\n\n"]])
  func `empty lines before a request are ignored`(pieces: [String]) async throws {
    try await TestServer.run { _, client in
      for _ in 0..<2 {
        for piece in pieces { try await client.send(piece) }
        #expect(try await client.response(to: TestServer.get).text == "get /a 0")
      }
    }
  }

  @Test func `what a client sends after its last request does not cost it the response`() async throws {
    let gate = Gate()
    let answer = [UInt8](repeating: UInt8(ascii: "y"), count: 4 << 20)
    let handler: TestServer.Handler = { request in
      _ = try? await request.body.collect(upTo: 100)
      await gate.wait()
      return Response(status: .ok, body: .bytes(answer))
    }
    try await TestServer.run(receiveBuffer: 64 * 1024, handler: handler) { _, client in
      try await client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab")
      // Old browsers send an empty line after a form (RFC 9112 §2.2).
      try await client.send("\r\n")
      gate.open()
      #expect(try await client.response().body.count == answer.count)
      #expect(try await client.isAtEnd)
    }
  }

  @Test func `a client that sends many requests at once does not keep others waiting`() async throws {
    let loop = StandStill()
    try await TestServer.run(handler: loop.handler) { server in
      let (client, other) = (try await server.connect(), try await server.connect())
      async let answers = client.rest()
      // Early in all that one client sends, the loop stands still until another one has asked for something.
      async let sent: Void = client.send(
        String(repeating: TestServer.get, count: 100) + StandStill.request
          + String(repeating: TestServer.get, count: 10_000)
          + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      await loop.begun.wait()
      try await other.send(TestServer.getOthers)
      loop.goOn()
      #expect(try await other.response().status == 200)
      try await sent
      #expect(try await answers.count > 10_000)
      #expect(try #require(server.requests.firstIndex(of: "get /others")) < 8_000)
    }
  }

  @Test func `a request is served before those that other clients have sent ahead`() async throws {
    let loop = StandStill()
    try await TestServer.run(handler: loop.handler) { server in
      let crowd = try await (0..<50).asyncMap { _ in try await server.connect() }
      let (first, other) = (try await server.connect(), try await server.connect())
      try await first.send(StandStill.request)
      await loop.begun.wait()
      for client in crowd { try await client.send(String(repeating: TestServer.get, count: 100)) }
      try await other.send(TestServer.getOthers)
      loop.goOn()
      #expect(try await other.response().status == 200)
      #expect(try #require(server.requests.firstIndex(of: "get /others")) < 1000)
      for client in crowd {
        for _ in 0..<100 { #expect(try await client.response().status == 200) }
      }
    }
  }
}
