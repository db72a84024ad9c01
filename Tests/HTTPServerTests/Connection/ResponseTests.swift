import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

// The time limit ends a test that waits for ever for a server.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct ResponseTests {
  @Test func `a small response comes in one piece`() async throws {
    try await TestServer.run { _, client in
      for _ in 0..<20 {
        try await client.send(TestServer.get)
        let bytes = String(decoding: try await client.receiveOnce(), as: UTF8.self)
        #expect(bytes.hasPrefix("HTTP/1.1 200 OK\r\n") && bytes.hasSuffix("\r\n\r\nget /a 0"))
      }
    }
  }

  @Test func `HEAD is answered with the length and without the body`() async throws {
    try await TestServer.run { _, client in
      for _ in 0..<2 {
        let response = try await client.response(to: "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n", hasBody: false)
        #expect(response["content-length"] == "9")
      }
      #expect(try await client.response(to: TestServer.get).text == "get /a 0")
    }
  }

  @Test(arguments: ["Expect: x", "Transfer-Encoding: gzip", "Content-Length: x"])
  func `not even a refusal of HEAD has a body`(field: String) async throws {
    try await TestServer.run(sending: "HEAD /a HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n") { _, client in
      client.endSending()
      let response = try await client.response(hasBody: false)
      #expect(response.status >= 400 && response.announcesClose)
      #expect(try await client.isAtEnd)
    }
  }

  @Test func `a response that has no content leaves the connection in step`() async throws {
    try await TestServer.run(handler: { _ in Response(status: .notModified, body: .bytes([1, 2, 3])) }) { _, client in
      for _ in 0..<3 {
        let response = try await client.response(to: TestServer.get)
        #expect(response.status == 304)
        #expect(response["content-length"] == nil)
      }
    }
  }

  // MARK: - Files and long bodies

  @Test(arguments: [(0, 0), (0, 1), (5, 90_000), (99_999, 1), (100_000, 0)])
  func `a part of a file`(offset: Int, length: Int) async throws {
    let bytes = Array(patternOf: 100_000)
    let file = try OpenFile.temporary(bytes)
    try await TestServer.run(handler: { _ in
      Response(status: .ok, body: .file(file, offset: Int64(offset), length: Int64(length)))
    }) { _, client in
      for _ in 0..<2 {
        let response = try await client.response(to: TestServer.get)
        #expect(response["content-length"] == "\(length)")
        #expect(response.body[...] == bytes[offset..<(offset + length)])
        try await client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.response(hasBody: false)["content-length"] == "\(length)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `a long body arrives whole at a slow reader, and others are served meanwhile`(isFile: Bool) async throws {
    let bytes = Array(patternOf: 6 << 20)
    let body: Response.Body = try isFile ? .file(.temporary(bytes), offset: 0, length: 6 << 20) : .bytes(bytes)
    try await TestServer.run(handler: { _ in Response(status: .ok, body: body) }) { server in
      let slow = try await server.connect(receiveBuffer: 64 * 1024, sending: TestServer.get)
      let fast = try await server.connect(sending: TestServer.get)
      #expect(try await server.answersOthers())
      #expect(try await fast.response().body == bytes)
      #expect(try await slow.response().body == bytes)
    }
  }

  @Test func `a file that is shorter than promised ends the connection`() async throws {
    let file = try OpenFile.temporary(Array(patternOf: 1_000))
    try await TestServer.run(handler: { _ in
      Response(status: .ok, body: .file(file, offset: 0, length: 2_000))
    }) { server in
      let client = try await server.connect(sending: "GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
      await #expect(throws: RawClient.Failure.ended) { try await client.response() }
      #expect(try await server.answersOthers())
    }
  }
}
