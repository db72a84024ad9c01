import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `An object store's statistics` {
  @Test func `count requests with their pauses, retries and failures`() async throws {
    let server = try RawServer([
      .stored, .error(503, "SlowDown"), .error(503, "SlowDown"), .stored, .error(403, "AccessDenied"),
      .response(404), .error(404, "NoSuchKey"),
    ])
    let store = try ObjectStore.forTests(server)
    for _ in 0..<2 { try await store.put([1], as: "key") }
    await #expect(throws: ObjectStoreError.self) { try await store.put([1], as: "key") }
    // A missing object is no failure.
    #expect(try await store.size(of: "key") == nil)
    let requests = store.statistics.requests
    #expect(requests.map(\.method) == ["GET", "HEAD", "PUT", "DELETE"])
    #expect(requests.map(\.durations.count) == [1, 1, 3, 0])
    #expect(requests.map(\.failures) == [0, 0, 1, 0])
    #expect(store.statistics.retries == 2)
    // The pauses are of 50 and 100 ms, and no other time passes.
    #expect(requests[2].durations.sum == 150_000_000)
  }
}
