import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `An object store's statistics` {
  private func requests(_ method: String, of store: ObjectStore) throws -> ClientStatistics.Requests {
    try #require(store.statistics.requests.first { $0.method == method })
  }

  @Test func `count requests, retries and failures`() async throws {
    let server = try RawServer([
      .response(200), .error(503, "SlowDown"), .error(503, "SlowDown"), .response(200), .error(403, "AccessDenied"),
    ])
    let store = try ObjectStore.forTests(server)
    for _ in 0..<2 { try await store.put([1], as: "key") }
    await #expect(throws: ObjectStoreError.self) {
      try await store.put([1], as: "key")
    }
    let puts = try requests("PUT", of: store)
    #expect(puts.durations.count == 3 && puts.failures == 1 && store.statistics.retries == 2)
    #expect(try requests("GET", of: store).durations.count == 0)
  }

  @Test func `have the time of a request with its pauses`() async throws {
    let server = try RawServer([.error(503, "SlowDown"), .response(200)])
    let store = try ObjectStore.forTests(server)
    try await store.delete("key")
    // The pauses are of 50 ms, and no other time passes.
    #expect(try requests("DELETE", of: store).durations.sum == 50_000_000)
  }

  @Test func `do not count a missing object as a failure`() async throws {
    let server = try RawServer([.response(404), .error(404, "NoSuchKey"), .error(404, "NoSuchKey")])
    let store = try ObjectStore.forTests(server)
    #expect(try await store.size(of: "key") == nil)
    await #expect(throws: ObjectStoreError.missing) { try await store.get("key", 0..<1) }
    #expect(try requests("HEAD", of: store).failures == 0)
    #expect(try requests("GET", of: store).failures == 0)
  }
}
