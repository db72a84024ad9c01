import APITestSupport
import Foundation
import Glibc
import HTTPServer
import Platform
import TestSupport
import Testing

@testable import SelfieServerCommands

/// The line that the log has for each request.
@Suite(.timeLimit(.minutes(10))) struct RequestLogTests {
  /// Runs a test against a server that logs to a pipe, which nobody reads meanwhile.
  ///
  /// - Returns: the lines, which are JSON.
  private func log(
    maxPendingBytes: Int = 4 << 20, during test: (APIFixture, _ port: Int) async throws -> Void
  ) async throws -> [[String: Any]] {
    let (api, pipe) = (try APIFixture(), try ProgramPipe())
    let writer = LogWriter(.json, descriptor: pipe.writing, maxPendingBytes: maxPendingBytes)
    let log = RequestLog(writer: writer)
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let application = api.application
    let server = try Server(
      listener: listener, loopCount: 1,
      responder: Responder(
        respond: application.respond,
        refuse: { application.refuse($0.status, $0.message, context: $0.context) },
        endOfTurn: application.endOfTurn, responseSent: { log.write($0) }))
    try writer.start()
    try await Blocking.run { try server.start() }
    let result = await Result { try await test(api, listener.port) }
    try await Blocking.run { server.stop() }
    let lines = try Lines(of: pipe.reading)
    try await Blocking.run { writer.stop() }
    close(pipe.writing)
    try result.get()
    return try await lines.all().map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
  }

  @Test func `a reader that stalls holds up no request`() async throws {
    let count = 4_000
    let lines = try await log(maxPendingBytes: 64 * 1024) { _, port in
      let client = try await RawClient.connect(to: port)
      for _ in 0..<(count / 100) {
        try await client.send(String(repeating: "GET /up HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
        for _ in 0..<100 { #expect(try await client.response().status == 200) }
      }
      client.close()
    }
    let dropped = lines.compactMap { $0["count"] as? Int }.reduce(0, +)
    #expect(dropped > 0)
    #expect(lines.count { $0["message"] as? String == "request" } == count - dropped)
  }

  @Test func `fields are fields, and what a client sends is no part of them`() async throws {
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let id = String(repeating: "Ab3", count: 6).prefix(16)
    let lines = try await log { api, port in
      let token = try await api.newUser()
      let client = try await RawClient.connect(to: port)
      for request in [
        "GET /api/get_photos?secret HTTP/1.1\r\nHost: a\r\nAuthorization: Token token=\(token)\r\n\r\n",
        "GET /photos/\(id) HTTP/1.1\r\nHost: a\r\nTraceparent: 00-\(trace)-00f067aa0ba902b7-01\r\n\r\n",
        "BREW /\(token)\"\u{1b} HTTP/1.1\r\nHost: a\r\n\r\n",
      ] {
        try await client.send(request)
        _ = try await client.response()
      }
      client.close()
      let other = try await RawClient.connect(to: port)
      try await other.send("GET /up HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\"b\u{1b}c_d-e\r\nConnection: close\r\n\r\n")
      _ = try await other.rest()
      other.close()
      #expect(token.count > 20)
    }
    #expect(lines.count == 4)
    let list = try #require(lines.first)
    #expect(list["method"] as? String == "GET" && list["route"] as? String == "/api/get_photos")
    #expect(list["status"] as? Int == 200 && list["user_id"] as? Int == 1)
    let bytes = try #require(list["bytes"] as? Int)
    #expect(bytes > 300 && (list["bytes_received"] as? Int).map { $0 > 80 && $0 < 200 } == true)
    #expect((list["duration"] as? Double).map { $0 > 0 && $0 < 60 } == true)
    #expect(list["level"] as? String == "info" && list["peer"] as? String == "127.0.0.1")
    #expect((list["request_id"] as? String)?.count == 32 && list["trace_id"] == nil)
    #expect(lines[1]["route"] as? String == "/photos/:id" && lines[1]["trace_id"] as? String == trace)
    #expect(lines[1]["user_id"] == nil)
    #expect(lines[2]["method"] == nil || lines[2]["method"] as? String == "OTHER")
    #expect(lines[2]["route"] as? String == "unknown" && (lines[2]["status"] as? Int).map { $0 >= 400 } == true)
    #expect(lines[3]["request_id"] as? String == "abc_d-e" || lines[3]["status"] as? Int == 400)
    let names: Set = [
      "time", "level", "message", "method", "route", "status", "bytes", "bytes_received", "duration", "user_id",
      "request_id", "trace_id", "peer", "client",
    ]
    for line in lines { #expect(names.isSuperset(of: line.keys)) }
    #expect(!lines.contains { "\($0)".contains(id) || "\($0)".contains("secret") })
  }

  @Test func `a client that goes away is noted`() async throws {
    let lines = try await log { api, port in
      let client = try await RawClient.connect(to: port)
      try await client.send(
        "POST /api/signin HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n"
          + "Content-Type: application/x-www-form-urlencoded\r\n"
          + "Authorization: \(APIFixture.Caller.app.fields[0].value)\r\n\r\nemail=")
      // The server reads the body, and answers others meanwhile.
      let other = try await RawClient.connect(to: port)
      try await other.send("GET /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      _ = try await other.rest()
      other.close()
      client.reset()
    }
    let aborted = try #require(lines.first { $0["aborted"] as? Bool == true })
    #expect(aborted["route"] as? String == "/api/signin" && aborted["bytes"] as? Int == 0)
  }

  @Test(arguments: [["LOG_REQUESTS": "off"], ["LOG_LEVEL": "notice"]])
  func `without it the log still has the events`(environment: [String: String]) async throws {
    let server = try ServerProcess(environment: environment, in: try TemporaryFolder())
    _ = try await server.appOfNewUser()
    await server.stop()
    let log = await server.errors.all()
    #expect(log.contains { $0.contains("event=new_account") && $0.hasSuffix("user_id=1") })
    #expect(!log.contains { $0.contains("info request") })
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
