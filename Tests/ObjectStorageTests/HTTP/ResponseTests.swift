import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `A client's responses` {
  private let client = HTTPClient()

  private func get(_ reply: RawServer.Reply, maxBodyBytes: Int = 100) async throws -> ClientResponse {
    let server = try RawServer([reply])
    defer { withExtendedLifetime(server) {} }
    return try await client.send(.init(method: .get, url: server.url, maxBodyBytes: maxBodyBytes))
  }

  @Test func `have a status, fields and a body`() async throws {
    let response = try await get(
      .response(206, ["Content-Range:bytes 0-1/2", "X-Spaces:  a b \t", "X-Twice: 1", "x-twice: 2"], body: [1, 2]))
    #expect(response.status == 206 && response.isSuccessful && response.body == [1, 2])
    #expect(response["content-range"] == "bytes 0-1/2" && response["x-spaces"] == "a b")
    #expect(response.fields.filter { $0.name == "x-twice" }.map(\.value) == ["1", "2"])
    #expect(response["x-missing"] == nil)
  }

  @Test func `may come in chunks, and after responses with 100`() async throws {
    let response = try await get(
      RawServer.Reply(
        "HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\nab\r\n3\r\ncde\r\n0\r\nX-Trailer: 1\r\nHTTP/1.1 500: no\r\n\r\n"))
    #expect(response.status == 200 && response.body == Array("abcde".utf8))
    #expect(response["x-early"] == nil && response["x-trailer"] == nil)
  }

  @Test func `may be as long as allowed, and not longer`() async throws {
    let body = [UInt8](repeating: 1, count: 100)
    #expect(try await get(.response(200, body: body)).body == body)
    await #expect(throws: ObjectStoreError.malformedResponse("the response is longer than 100 bytes")) {
      try await get(.response(200, body: body + [1]))
    }
  }

  @Test func `that redirect lead nowhere`() async throws {
    let other = try RawServer([.response(200)])
    let response = try await get(.response(307, ["Location: \(other.url)"]))
    #expect(response.status == 307 && other.connectionCount == 0)
  }

  @Test func `with an error come before the rest of a request is sent`() async throws {
    var reply = RawServer.Reply.response(503, ending: .stall)
    reply.readsBody = false
    let server = try RawServer([reply])
    let content = [UInt8](repeating: 1, count: 4 << 20)
    let response = try await client.send(.init(method: .put, url: server.url, content: .bytes(content)))
    #expect(response.status == 503)
  }

  @Test(arguments: [
    RawServer.Reply("", ending: .close), .init("", ending: .reset), .init("HTTP/1.1 200 OK\r\nX-", ending: .close),
    .init("HTTP/1.1 100 Continue\r\n\r\n", ending: .close),
    .init("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", ending: .close),
    .init("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", ending: .reset),
    .init("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", ending: .close),
  ])
  func `that are cut are errors`(reply: RawServer.Reply) async throws {
    do {
      _ = try await get(reply)
      Issue.record("a part was taken for a whole")
    } catch ObjectStoreError.unavailable {}
  }

  @Test(arguments: ["SSH-2.0-server\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"])
  func `that are malformed are errors`(text: String) async throws {
    do {
      _ = try await get(RawServer.Reply(text, ending: .close))
      Issue.record("it was taken for a response")
    } catch ObjectStoreError.malformedResponse(_) {}
  }

  @Test func `with too long a head are errors`() async throws {
    let fields = (0..<400).map { "X-Field-\($0): \(String(repeating: "a", count: 100))" }
    await #expect(throws: ObjectStoreError.malformedResponse("the response's head is too long")) {
      try await get(.response(200, fields))
    }
  }
}
