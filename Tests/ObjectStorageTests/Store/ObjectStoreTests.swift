import Cryptography
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `An object store's requests` {
  @Test func `to put an object have its type and its digest`() async throws {
    let server = try RawServer([.stored, .stored])
    let store = try ObjectStore.forTests(server)
    let content = Array("a photo".utf8)
    try await store.put(content, as: "photos/a b")
    let digest = Digest.sha256(Array("another".utf8))
    try await store.put(.bytes(content), as: "key", contentType: "image/jpeg", digest: digest)

    #expect(server.requests.map(\.line) == ["PUT /selfies/photos/a%20b HTTP/1.1", "PUT /selfies/key HTTP/1.1"])
    #expect(server.requests.map(\.body) == [content, content])
    #expect(server.requests.map { $0["content-type"] } == ["image/png", "image/jpeg"])
    #expect(
      server.requests.map { $0["x-amz-content-sha256"] } == [
        Digest.hex(Digest.sha256(content)), Digest.hex(digest),
      ])
  }

  @Test func `are signed for the host, and ask for content as it was stored`() async throws {
    let server = try RawServer([.range([1, 2], from: 5, of: 100)])
    let store = try ObjectStore.forTests(server)
    #expect(try await store.get("key", 5..<7) == [1, 2])
    let request = try #require(server.requests.first)
    #expect(request["host"] == "127.0.0.1:\(server.port)")
    #expect(request["range"] == "bytes=5-6" && request["accept-encoding"] == "identity")
    #expect(request["x-amz-date"] == "20261120T222416Z")
    let authorization = try #require(request["authorization"])
    #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=id/20261120/eu-central-1/s3/aws4_request, "))
    #expect(authorization.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "))
  }

  @Test(arguments: [RawServer.Reply.stored, .response(204), .error(404, "NoSuchKey")])
  func `to delete an object succeed also without one`(reply: RawServer.Reply) async throws {
    let server = try RawServer([reply])
    try await ObjectStore.forTests(server).delete("key")
    #expect(server.requests.map(\.line) == ["DELETE /selfies/key HTTP/1.1"])
  }

  @Test(arguments: [
    RawServer.Reply.response(404), .response(404, body: Array("default backend - 404".utf8)), .response(302),
  ])
  func `go on until the store itself has responded`(reply: RawServer.Reply) async throws {
    let server = try RawServer([
      reply, .response(204), reply, .range([1], from: 0, of: 1), reply, .response(200, ["ETag: x"]),
      .response(404), reply, .error(404, "NoSuchKey"),
    ])
    let store = try ObjectStore.forTests(server)
    try await store.delete("key")
    #expect(try await store.get("key", 0..<1) == [1])
    try await store.put([1], as: "key")
    #expect(try await store.size(of: "key") == nil)
    #expect(server.requests.count == 9)
    let away = try RawServer(Array(repeating: reply, count: 4))
    let error = await #expect(throws: ObjectStoreError.self) { try await ObjectStore.forTests(away).delete("key") }
    #expect("\(try #require(error))".contains("The object store is not available: something before it responded"))
  }

  @Test func `are not taken in by the sign-in page of a network`() async throws {
    let page = RawServer.Reply.response(200, ["Content-Type: text/html"], body: Array("<html>Sign in</html>".utf8))
    let server = try RawServer([page, .response(204), page, .response(200, ["ETag: x"])])
    let store = try ObjectStore.forTests(server)
    try await store.delete("key")
    try await store.put([1], as: "key")
    #expect(server.requests.count == 4)
  }

  @Test func `to put an object fail without its ETag`() async throws {
    let server = try RawServer(Array(repeating: RawServer.Reply.response(200), count: 4))
    let error = await #expect(throws: ObjectStoreError.self) {
      try await ObjectStore.forTests(server).put([1], as: "key")
    }
    guard case .unavailable = error else { throw try #require(error) }
  }

  @Test func `for a size do not believe that an object is missing which can be read`() async throws {
    let server = try RawServer([.response(404), .range([1], from: 0, of: 1)])
    let error = await #expect(throws: ObjectStoreError.self) {
      try await ObjectStore.forTests(server).size(of: "key")
    }
    guard case .unavailable = error else { throw try #require(error) }
  }

  @Test(arguments: [(403, "RequestTimeTooSkewed", "The clock"), (301, "PermanentRedirect", "another region")])
  func `name a wrong clock and a wrong region in the log`(status: Int, code: String, words: String) {
    #expect(ObjectStoreError.refused(status: status, code: code).description.contains(words))
  }

  @Test func `to delete an object fail without a bucket`() async throws {
    let server = try RawServer([.error(404, "NoSuchBucket")])
    await #expect(throws: ObjectStoreError.refused(status: 404, code: "NoSuchBucket")) {
      try await ObjectStore.forTests(server).delete("key")
    }
  }

  @Test func `for the size of an object`() async throws {
    let found = RawServer.Reply(
      "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n")
    let unknown = RawServer.Reply("HTTP/1.1 200 OK\r\n\r\n", ending: .close)
    let server = try RawServer([
      found, .response(404), .error(404, "NoSuchKey"), .response(404), .error(404, "NoSuchBucket"), .response(403),
      unknown,
    ])
    let store = try ObjectStore.forTests(server)
    #expect(try await store.size(of: "key") == 5_000_000_000)
    #expect(try await store.size(of: "key") == nil)
    await #expect(throws: ObjectStoreError.refused(status: 404, code: "NoSuchBucket")) {
      try await store.size(of: "key")
    }
    await #expect(throws: ObjectStoreError.refused(status: 403, code: nil)) { try await store.size(of: "key") }
    await #expect(throws: ObjectStoreError.malformedResponse("it has no Content-Length")) {
      try await store.size(of: "key")
    }
  }

  /// Runs `body` while a deletion keeps the one thread of a store busy. The other replies are for requests after it.
  private func whileBusy(
    _ replies: [RawServer.Reply] = [], waiting: Int = 100, _ body: (ObjectStore) async throws -> Void
  ) async throws -> RawServer {
    let semaphore = Semaphore()
    var held = RawServer.Reply.response(204)
    held.semaphore = semaphore
    let server = try RawServer([held] + replies)
    let store = try ObjectStore.forTests(server, threads: 1, waiting: waiting)
    async let first: Void = store.delete("first")
    try await waitUntil { server.requests.count == 1 }
    try await body(store)
    semaphore.signal()
    try await first
    return server
  }

  @Test func `beyond what may wait are refused at once`() async throws {
    _ = try await whileBusy(waiting: 0) { store in
      await #expect(throws: ObjectStoreError.busy) { try await store.delete("second") }
    }
  }

  @Test func `wait in a queue in which clients take turns`() async throws {
    var waiting: [Task<[UInt8], any Error>] = []
    let server = try await whileBusy(Array(repeating: .range([1], from: 0, of: 1), count: 4)) { store in
      for (client, key) in [(1, "a"), (1, "b"), (1, "c"), (2, "x")] {
        waiting.append(Task { try await store.get(key, 0..<1, flow: Flow(client: client)) })
        try await waitUntil { store.statistics.pool.waiting == waiting.count }
      }
    }
    for task in waiting { #expect(try await task.value == [1]) }
    #expect(server.requests.dropFirst().map(\.line) == ["a", "x", "b", "c"].map { "GET /selfies/\($0) HTTP/1.1" })
  }

  @Test func `are not sent once their task is cancelled`() async throws {
    var second: Task<Void, any Error>?
    let server = try await whileBusy([.response(204)]) { store in
      second = Task { try await store.delete("second") }
      try await waitUntil { store.statistics.pool.waiting == 1 }
      second?.cancel()
    }
    let result = try #require(await second?.result)
    #expect(throws: ObjectStoreError.cancelled) { try result.get() }
    #expect(server.requests.count == 1)
  }
}
