import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `A client's requests` {
  private let client = HTTPClient()

  @Test func `have the method, the path and the fields that were given`() async throws {
    let server = try RawServer([.response(200)])
    _ = try await client.send(
      .init(
        method: .get, url: "http://127.0.0.1:\(server.port)/a/../b%2Fc%20d//e",
        fields: [(name: "Host", value: "s3.example"), (name: "X-Empty", value: ""), (name: "X-Two", value: "a  b")]))
    let request = try #require(server.requests.first)
    #expect(request.line == "GET /a/../b%2Fc%20d//e HTTP/1.1")
    #expect(request["host"] == "s3.example" && request["x-empty"] == "" && request["x-two"] == "a  b")
    #expect(request["expect"] == nil && request["accept-encoding"] == nil && request["user-agent"] == nil)
  }

  @Test(arguments: [Method.get, .head, .put, .delete])
  func `share a connection`(method: Method) async throws {
    let server = try RawServer([.response(200), .response(204), .response(404), .response(200)])
    for status in [200, 204, 404, 200] {
      let response = try await client.send(.init(method: method, url: server.url, content: .bytes([1])))
      #expect(response.status == status)
    }
    #expect(server.requests.map(\.connection) == [1, 1, 1, 1])
    #expect(server.requests.allSatisfy { $0.line.hasPrefix("\(method.name) / ") })
  }

  @Test func `use a new connection once the server has ended the last one`() async throws {
    let server = try RawServer([.response(200, ending: .close), .response(200)])
    let content = [UInt8](repeating: 7, count: 300_000)
    for _ in 0..<2 {
      let response = try await client.send(.init(method: .put, url: server.url, content: .bytes(content)))
      #expect(response.status == 200)
      // The client would find out only while it sends.
      if server.requests.count == 1 { try await waitUntil { server.openConnectionCount == 0 } }
    }
    #expect(server.requests.map(\.connection) == [1, 2])
    #expect(server.requests.allSatisfy { $0.body == content })
  }

  @Test func `send content from memory and from files`() async throws {
    let folder = try TemporaryFolder()
    var generator = SplitMix64(seed: 17)
    let bytes = generator.bytes(1_000_000)
    try folder.write(bytes, to: "photo")
    let file = try #require(try FileSystem.open("\(folder.path)/photo"))
    let server = try RawServer([.response(200), .response(200), .response(200)])
    for content in [RequestContent.bytes(bytes), .file(file, byteCount: 1_000_000), .bytes([])] {
      _ = try await client.send(.init(method: .put, url: server.url, content: content))
    }
    #expect(server.requests.map { $0["content-length"] } == ["1000000", "1000000", "0"])
    #expect(server.requests.map(\.body) == [bytes, bytes, []])
  }

  @Test func `end if a file is shorter than it was`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("short", to: "photo")
    let file = try #require(try FileSystem.open("\(folder.path)/photo"))
    let server = try RawServer([.response(200)])
    await #expect(throws: ObjectStoreError.failed("the file is shorter than it was")) {
      try await client.send(.init(method: .put, url: server.url, content: .file(file, byteCount: 6)))
    }
  }

  @Test func `have no more fields than were given`() async throws {
    let server = try RawServer([.response(200)])
    await #expect(throws: ObjectStoreError.failed("a field has a control character")) {
      try await client.send(
        .init(method: .get, url: server.url, fields: [(name: "X-Name", value: "a\r\nX-Other: b")]))
    }
    #expect(server.requests.isEmpty)
  }
}

extension HTTPClient {
  func send(_ request: ClientRequest) async throws -> ClientResponse {
    try await Blocking.run { try self.perform(request) }
  }
}

extension RawServer {
  var url: String { "http://127.0.0.1:\(port)/" }
}
