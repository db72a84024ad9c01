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

  @Test func `is missing without the object`() async throws {
    await #expect(throws: ObjectStoreError.missing) { try await get(.error(404, "NoSuchKey"), 0..<1) }
  }

  @Test func `of no bytes needs no request`() async throws {
    let server = try RawServer([])
    #expect(try await ObjectStore.forTests(server).get("key", 7..<7) == [])
    #expect(server.connectionCount == 0)
  }

  @Test func `comes in pieces, between which others have their turn`() async throws {
    let piece = ObjectStore.maxPieceBytes
    var generator = SplitMix64(seed: 3)
    let object = generator.bytes(piece + 10)
    let parts = [0..<piece, piece..<object.count].map { part in
      RawServer.Reply.range(Array(object[part]), from: part.lowerBound, of: object.count)
    }
    // One of them comes only at the second attempt.
    let server = try RawServer([parts[0], .response(204), .error(503, "SlowDown"), parts[1]])
    let store = try ObjectStore.forTests(server, threads: 1)

    let first = try await store.get("key", 0..<Int64(piece))
    try await store.delete("other")
    #expect(try await first + store.get("key", Int64(piece)..<Int64(object.count)) == object)
    #expect(server.connectionCount == 1)
  }
}
