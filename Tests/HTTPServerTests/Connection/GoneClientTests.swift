import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

/// Clients that go away in the middle: the server notices, forgets them and goes on.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct GoneClientTests {
  enum Departure: CaseIterable {
    case reset, close, halfClose

    func leave(_ client: RawClient) {
      switch self {
      case .reset: client.reset()
      case .close: client.close()
      case .halfClose: client.endSending()
      }
    }
  }

  private static let requests =
    "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
    + "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nX: y\r\n\r\nBAD\r\n\r\n"

  @Test(arguments: Departure.allCases)
  func `gone after any byte that was sent`(departure: Departure) async throws {
    try await TestServer.run(loops: 2) { server in
      let bytes = Array(Self.requests.utf8)
      for count in 0...bytes.count {
        let client = try await server.connect(sending: Array(bytes[..<count]))
        departure.leave(client)
        if departure == .halfClose { _ = try await client.rest() }
      }
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  @Test(arguments: [Departure.reset, .close])
  func `gone after any part of the response`(departure: Departure) async throws {
    let body = [UInt8](repeating: 7, count: 4 << 20)
    try await TestServer.run(handler: { _ in Response(status: .ok, body: .bytes(body)) }) { server in
      for pieces in 0..<20 {
        let client = try await server.connect(receiveBuffer: 16 * 1024)
        try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in 0..<pieces { _ = try await client.receiveOnce() }
        departure.leave(client)
      }
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  @Test(arguments: Departure.allCases)
  func `a handler that waits for the body learns that it will not come`(departure: Departure) async throws {
    let (started, learned) = (Gate(), Gate())
    try await TestServer.run(handler: { request in
      guard !request.body.isEmpty else { return TestServer.text("hi") }
      started.open()
      do throws(BodyError) {
        while try await request.body.next() != nil {}
      } catch {
        if error == .disconnected { learned.open() }
      }
      return TestServer.text("hi")
    }) { server in
      let client = try await server.connect(sending: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
      await started.wait()
      departure.leave(client)
      await learned.wait()
      if departure == .halfClose { #expect(try await client.response().status == 200) }
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  @Test func `the handler of a client that broke off is cancelled`() async throws {
    let stall = Stall()
    try await TestServer.run(sending: TestServer.get, handler: stall.handler) { server, client in
      await stall.started.wait()
      client.reset()
      await stall.cancelled.wait()
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
    }
  }

  @Test func `the handler of a client that only ended its side is not`() async throws {
    let (gate, started) = (Gate(), Gate())
    try await TestServer.run(handler: { _ in
      started.open()
      await gate.wait()
      return TestServer.text(Task.isCancelled ? "cancelled" : "whole")
    }) { server in
      let client = try await server.connect(sending: TestServer.get + TestServer.get)
      await started.wait()
      client.endSending()
      gate.open()
      for _ in 0..<2 { #expect(try await client.response().text == "whole") }
      #expect(try await client.isAtEnd)
      try await server.becomesIdle()
    }
  }
}
