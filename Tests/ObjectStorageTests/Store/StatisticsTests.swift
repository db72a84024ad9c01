import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `An object store's statistics` {
  private func requests(_ method: String, of store: ObjectStore) throws -> ClientStatistics.Requests {
    try #require(store.statistics.requests.first { $0.method == method })
  }

  @Test func `count requests with their pauses, retries and failures`() async throws {
    let server = try RawServer([
      .response(200), .error(503, "SlowDown"), .error(503, "SlowDown"), .response(200), .error(403, "AccessDenied"),
      .response(404), .error(404, "NoSuchKey"),
    ])
    let store = try ObjectStore.forTests(server)
    for _ in 0..<2 { try await store.put([1], as: "key") }
    await #expect(throws: ObjectStoreError.self) { try await store.put([1], as: "key") }
    let puts = try requests("PUT", of: store)
    #expect(puts.durations.count == 3 && puts.failures == 1 && store.statistics.retries == 2)
    // The pauses are of 50 and 100 ms, and no other time passes.
    #expect(puts.durations.sum == 150_000_000)
    // A missing object is no failure.
    #expect(try await store.size(of: "key") == nil)
    let (heads, gets) = (try requests("HEAD", of: store), try requests("GET", of: store))
    #expect((heads.durations.count, heads.failures) == (1, 0))
    #expect((gets.durations.count, gets.failures) == (1, 0))
  }
}
