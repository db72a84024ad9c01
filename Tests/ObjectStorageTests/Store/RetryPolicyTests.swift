import Testing

@testable import ObjectStorage

@Suite struct `Pauses between attempts` {
  private func pause(after attempts: Int = 1, elapsed: Int64 = 0, retryAfterSeconds: Int64? = nil) -> Int64? {
    ObjectStore.pause(
      afterAttempts: attempts, elapsed: elapsed, retryAfterSeconds: retryAfterSeconds, random: .system)
  }

  @Test func `end after four attempts, and after twenty seconds`() {
    #expect(pause(after: 4) == nil)
    #expect(pause(elapsed: 20_000) == nil)
    #expect(pause(elapsed: 19_000, retryAfterSeconds: 1) == nil)
  }

  @Test(arguments: [Int64(0), 1, 19, 20, 86_400, .max])
  func `are not shorter than the store asks for, and none where it asks for too long a one`(seconds: Int64) {
    let pause = pause(retryAfterSeconds: seconds)
    if seconds < 20 {
      #expect((pause ?? -1) >= seconds * 1000 && (pause ?? -1) <= max(100, seconds * 1000))
    } else {
      #expect(pause == nil)
    }
  }
}
