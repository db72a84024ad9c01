import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// The record that the application gets once a response has been sent.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct RequestRecordTests {
  private static let lastGet = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  /// Sends one request to a server of its own, and waits for the end of the connection and of the server.
  ///
  /// - Returns: all that the client received, and the only record that the application got.
  private func onlyRecord(
    _ request: String, limits: Limits = .forTests, handler: @escaping TestServer.Handler = TestServer.answerOK
  ) async throws -> (received: [UInt8], RequestRecord) {
    try await TestServer.run(sending: request, limits: limits, keepsRecords: true, handler: handler) { server, client in
      let received = try await client.rest()
      client.close()
      _ = try await server.records(1)
      // Once it has stopped, it tells nothing more.
      try await server.stop()
      let records = try await server.records(1)
      #expect(records.count == 1)
      return (received, try #require(records.first))
    }
  }

  @Test func `a response that was sent`() async throws {
    let request = "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
    let start = monotonicNanoseconds()
    let (received, record) = try await onlyRecord(request) { request in
      request.context?.note { ($0.route, $0.requestID) = ("/:id", Array("x".utf8)) }
      request.context?.note { $0.userID = 7 }
      return await TestServer.answerOK(request)
    }
    #expect(record.method == .post && record.status == .ok && record.isComplete)
    #expect(record.bytesReceived == request.utf8.count && record.bytesSent == received.count)
    #expect(record.nanoseconds > 0 && record.nanoseconds < monotonicNanoseconds() - start)
    #expect(record.peer == "127.0.0.1")
    #expect(record.facts.route.map { "\($0)" } == "/:id" && record.facts.userID == 7)
    #expect(record.facts.requestID == Array("x".utf8))
  }

  @Test func `the content of a chunked body is counted`() async throws {
    let head = "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    let (_, record) = try await onlyRecord(head + "2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")
    #expect(record.bytesReceived == head.utf8.count + 5)
  }

  @Test(
    arguments: [
      ("GET /a\r\n\r\n", nil, 400), ("GET /a HTTP/1.1\r\nA B: c\r\n\r\n", nil, 400),
      ("GET /a HTTP/1.1\r\nHost: a\r\nExpect: the moon\r\n\r\n", .get, 417),
      ("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .put, 400),
      // Its head takes too long.
      ("GET /a HT", nil, 408),
    ] as [(String, HTTPMessages.Method?, Int)])
  func `a request that the server refuses`(request: String, method: HTTPMessages.Method?, status: Int) async throws {
    let limits = status == 408 ? Limits.forTests.with { $0.headTimeout = 50 } : .forTests
    let (received, record) = try await onlyRecord(request, limits: limits)
    #expect(record.method == method && record.status?.code == status && record.isComplete)
    #expect(record.bytesSent == received.count && record.peer == "127.0.0.1")
  }

  @Test(arguments: ["memory", "file", "stream"])
  func `a body from memory, a file or elsewhere`(source: String) async throws {
    let bytes = Array(patternOf: 1_000)
    let body: Response.Body =
      switch source {
      case "memory": .bytes(bytes)
      case "file": .file(try .temporary(bytes), offset: 0, length: 1_000)
      default: TestSource(count: 1_000).body
      }
    let (received, record) = try await onlyRecord(Self.lastGet) { _ in Response(status: .ok, body: body) }
    #expect(record.status == .ok && record.isComplete)
    #expect(record.bytesSent == received.count && received.count > 1_000)
  }

  @Test func `a body that is thrown away after the response`() async throws {
    try await TestServer.run(keepsRecords: true, handler: { _ in TestServer.text("hi") }) { server in
      let client = try await server.connect(sending: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
      let first = try await client.response()
      #expect(try await server.records(1).count == 1)
      try await client.send("hello" + Self.lastGet)
      let rest = try await client.rest()
      let records = try await server.records(2)
      #expect(records[1].bytesSent == rest.count && records[0].bytesSent > first.body.count)
      #expect(records.map(\.method) == [.post, .get] && records.allSatisfy { $0.status == .ok })
      #expect(records[1].bytesReceived == Self.lastGet.utf8.count)
      try await server.becomesIdle()
      #expect(try await server.records(2).count == 2)
    }
  }

  @Test func `requests that are sent ahead, in their order`() async throws {
    try await TestServer.run(keepsRecords: true) { server, client in
      try await client.send(TestServer.get + "HEAD" + TestServer.get.dropFirst(3) + Self.lastGet)
      let received = try await client.rest()
      let records = try await server.records(3)
      #expect(records.map(\.method) == [.get, .head, .get])
      #expect(records.reduce(0) { $0 + $1.bytesSent } == received.count)
    }
  }

  @Test func `a client that goes away before there is a response`() async throws {
    let (started, gate) = (Gate(), Gate())
    try await TestServer.run(
      sending: TestServer.get, keepsRecords: true,
      handler: { request in
        request.context?.note { $0.userID = 7 }
        started.open()
        await gate.wait()
        return TestServer.text("hi")
      }
    ) { server, client in
      await started.wait()
      client.reset()
      let record = try #require(try await server.records(1).first)
      #expect(record.status == nil && !record.isComplete && record.bytesSent == 0)
      #expect(record.method == .get && record.facts.userID == 7)
      gate.open()
      try await server.stop()
      #expect(try await server.records(1).count == 1)
    }
  }

  @Test func `a client that goes away during the response`() async throws {
    let body = [UInt8](repeating: 7, count: 16 << 20)
    try await TestServer.run(
      keepsRecords: true, handler: { _ in Response(status: .ok, body: .bytes(body)) }
    ) { server in
      let client = try await server.connect(receiveBuffer: 16 * 1024, sending: TestServer.get)
      let received = try await client.receiveOnce().count
      client.reset()
      let record = try #require(try await server.records(1).first)
      #expect(record.status == .ok && !record.isComplete)
      #expect(record.bytesSent >= received && record.bytesSent < body.count)
      try await server.becomesIdle()
      #expect(try await server.records(1).count == 1)
    }
  }

  @Test func `a client that goes away before the end of its head leaves no record`() async throws {
    try await TestServer.run(sending: "GET /a HT", keepsRecords: true) { server, gone in
      gone.reset()
      #expect(try await server.answersOthers())
      try await server.becomesIdle()
      #expect(try await server.records(1).count == 1)
    }
  }

  @Test func `a client for which there is no room`() async throws {
    try await TestServer.run(tls: nil, limits: .forTests.with { $0.maxConnections = 1 }, keepsRecords: true) {
      server in
      try await TestTransport.$tls.withValue(nil) {
        let first = try await server.connectWithRequest()
        let second = try await server.connect()
        let received = try await second.rest()
        let record = try #require(try await server.records(1).first)
        #expect(record.status == .serviceUnavailable && record.isComplete && record.method == nil)
        #expect(record.bytesSent == Int64(received.count))
        first.close()
      }
    }
  }

  @Test func `where nobody asks, requests have no context`() async throws {
    try await TestServer.run(handler: { TestServer.text($0.context == nil ? "none" : "some") }) { server in
      let client = try await server.connect(sending: TestServer.get)
      #expect(try await client.response().text == "none")
    }
  }
}
