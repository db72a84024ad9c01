import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `The content of an object` {
  private func get(_ reply: RawServer.Reply, _ range: Range<Int64>) async throws -> [UInt8] {
    let server = try RawServer([reply])
    defer { withExtendedLifetime(server) {} }
    return try await ObjectStore.forTests(server).get("key", range)
  }

  @Test func `is the range that was asked for`() async throws {
    #expect(try await get(.range([1, 2, 3], from: 10, of: 20), 10..<13) == [1, 2, 3])
    // From a store that knows no ranges.
    #expect(try await get(.response(200, body: [1, 2, 3]), 0..<3) == [1, 2, 3])
  }

  @Test(arguments: [
    RawServer.Reply.range([1, 2, 3], from: 11, of: 20), .range([1, 2], from: 10, of: 12),
    .range([1, 2, 3, 4], from: 10, of: 20), .response(206, body: [1, 2, 3]), .response(200, body: [1, 2, 3]),
    .response(200, body: Array(0..<20)), .response(204),
    .response(206, ["Content-Range: bytes 10-12/20", "Content-Encoding: gzip"], body: [1, 2, 3]),
  ])
  func `is nothing else`(reply: RawServer.Reply) async throws {
    let error = await #expect(throws: ObjectStoreError.self) { try await get(reply, 10..<13) }
    guard case .malformedResponse = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `of no bytes needs no request`() async throws {
    let server = try RawServer([])
    #expect(try await ObjectStore.forTests(server).get("key", 7..<7) == [])
    #expect(server.connectionCount == 0)
  }
}
