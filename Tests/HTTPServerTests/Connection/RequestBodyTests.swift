import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

// The time limit ends a test that waits for ever for a server.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct RequestBodyTests {
  private static let hello = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
  private static let chunks =
    "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n"

  /// Responds with the body it got.
  private static let echo: TestServer.Handler = { request in
    let body = try? await request.body.collect(upTo: 1 << 20)
    return Response(status: .ok, body: .bytes(body ?? Array("no body".utf8)))
  }

  @Test(arguments: [hello, chunks])
  func `a body arrives whole, in whatever pieces it comes`(request: String) async throws {
    try await TestServer.run(handler: Self.echo) { _, client in
      let bytes = Array(request.utf8)
      for cut in 1...bytes.count {
        try await client.send(Array(bytes[..<cut]))
        try await client.send(Array(bytes[cut...]))
        #expect(try await client.response().text == "hello")
      }
      for byte in bytes { try await client.send([byte]) }
      #expect(try await client.response().text == "hello")
    }
  }

  @Test(arguments: ["Content-Length: 900000", "Transfer-Encoding: chunked"])
  func `a large body arrives whole`(field: String) async throws {
    let body = Array(patternOf: 900_000)
    var message = Array("POST / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n".utf8)
    if field.hasPrefix("Content") {
      message += body
    } else {
      for start in stride(from: 0, to: body.count, by: 7_777) {
        let chunk = body[start..<min(start + 7_777, body.count)]
        message += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
      }
      message += Array("0\r\n\r\n".utf8)
    }
    let whole = message
    try await TestServer.run(handler: Self.echo) { server in
      let client = try await server.connect(sending: whole)
      #expect(try await client.response().body == body)
    }
  }

  @Test func `a body can be read by a task that runs elsewhere`() async throws {
    try await TestServer.run(handler: { request in
      await Task.detached { await Self.echo(request) }.value
    }) { server in
      let client = try await server.connect()
      for _ in 0..<3 {
        #expect(try await client.response(to: Self.chunks).text == "hello")
      }
    }
  }

  @Test func `a task that the handler has left behind learns that no body comes`() async throws {
    let (reads, learned) = (Gate(), Gate())
    try await TestServer.run(handler: { request in
      guard !request.body.isEmpty else { return TestServer.text("hi") }
      let first = try? await request.body.next()
      Task.detached {
        reads.open()
        do throws(BodyError) {
          while try await request.body.next() != nil {}
        } catch {
          if error == .disconnected { learned.open() }
        }
      }
      await reads.wait()
      return TestServer.text("\(first?.count ?? 0)")
    }) { server in
      let client = try await server.connect(sending: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
      #expect(try await client.response().text == "2")
      await learned.wait()
      try await client.send("llo")
      #expect(try await server.answersOthers())
    }
  }

  // MARK: - Expect: 100-continue

  private static let expecting = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n"

  @Test func `100 Continue comes when the handler begins to read`() async throws {
    let gate = Gate()
    try await TestServer.run(handler: { request in
      await gate.wait()
      return await Self.echo(request)
    }) { server in
      let client = try await server.connect(sending: Self.expecting)
      gate.open()
      #expect(try await server.answersOthers())
      #expect(try await client.response().statusLine == "HTTP/1.1 100 Continue")
      #expect(try await client.response(to: "hello").text == "hello")
      #expect(try await client.response(to: Self.hello).text == "hello")
    }
  }

  @Test(arguments: [
    [expecting + "hello"],
    // HTTP/1.0 has no 100.
    ["POST /a HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", "hello"],
  ])
  func `a client that does not wait for the 100 gets none`(pieces: [String]) async throws {
    try await TestServer.run(handler: Self.echo) { _, client in
      for piece in pieces { try await client.send(piece) }
      #expect(try await client.response().text == "hello")
    }
  }

  @Test func `a response without reading comes without a 100, and ends the connection`() async throws {
    try await TestServer.run(handler: { _ in TestServer.error(.unauthorized, "no") }) { server in
      let client = try await server.connect(sending: Self.expecting)
      let response = try await client.response()
      #expect(response.status == 401)
      // Whether the body follows is the client's choice now, so nobody knows where the next request begins.
      #expect(response.announcesClose)
      try await client.send("hello")
      #expect(try await client.isAtEnd)
    }
  }

  // MARK: - Bodies that nobody reads, or not yet

  @Test func `what the handler does not read stays with the client`() async throws {
    let gate = Gate()
    let total = 64 << 20
    try await TestServer.run(handler: { request in
      let first = try? await request.body.next()
      await gate.wait()
      return TestServer.text("\(first?.count ?? 0)")
    }) { server in
      let client = try await server.connect(sending: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
      let sent = try await client.sendUntilBlocked(maxBytes: total)
      // The rest is in the kernel's buffers on both sides.
      #expect(sent < 24 << 20)
      gate.open()
      let response = try await client.response()
      #expect(try #require(Int(response.text)) <= Limits().maxBodyChunk)
    }
  }

  @Test(arguments: [0, 1, 5, 100_000], [false, true])
  func `a short body that was not read, or in part, is skipped`(length: Int, readsPart: Bool) async throws {
    try await TestServer.run(handler: { request in
      if readsPart { _ = try? await request.body.next() }
      return TestServer.text("hi")
    }) { server, client in
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
      for _ in 0..<3 {
        try await client.send(head)
        let comesBefore = length < 10 && !readsPart
        if comesBefore { #expect(try await client.response().announcesClose == false) }
        try await client.send(String(repeating: "x", count: length))
        if !comesBefore { #expect(try await client.response().announcesClose == false) }
      }
      #expect(server.requests == Array(repeating: "post /", count: 3))
    }
  }

  @Test func `a client that ends its side just after its last bytes still gets the end of the response`() async throws {
    let answer = [UInt8](repeating: UInt8(ascii: "y"), count: 256 << 10)
    try await TestServer.run(handler: { _ in Response(status: .ok, body: .bytes(answer)) }) { server in
      for _ in 0..<20 {
        let client = try await server.connect(receiveBuffer: 4096)
        try await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        var received = 0
        // By now the server has handed the rest to the kernel, and waits for the client's end.
        while received < answer.count - 15_000 { received += try await client.receiveOnce().count }
        try await Blocking.run {
          try client.send(Array("0\r\n\r\n".utf8))
          client.endSending()
        }
        received += try await client.rest().count
        #expect(received > answer.count)
      }
    }
  }

  @Test func `a long response to a long unread body arrives whole, though the client has ended its side`() async throws
  {
    let answer = [UInt8](repeating: UInt8(ascii: "y"), count: 4 << 20)
    try await TestServer.run(handler: { _ in Response(status: .ok, body: .bytes(answer)) }) { server in
      let client = try await server.connect(receiveBuffer: 64 * 1024)
      try await client.send(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000))
      client.endSending()
      #expect(try await client.response().body.count == answer.count)
    }
  }
}
