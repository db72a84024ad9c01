import Cryptography
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite struct `Pauses between attempts` {
  private func pause(
    after attempts: Int = 1, elapsed: Int64 = 0, retryAfterSeconds: Int64? = nil, random: RandomSource = .system
  ) -> Int64? {
    ObjectStore.pause(
      afterAttempts: attempts, elapsed: elapsed, retryAfterSeconds: retryAfterSeconds, random: random)
  }

  @Test(arguments: [(1, Int64(100)), (2, 200), (3, 400)])
  func `are anything up to a maximum that doubles`(attempts: Int, maximum: Int64) {
    let generator = Monitor(SplitMix64(seed: 5))
    let random = RandomSource { count in generator.withLock { $0.bytes(count) } }
    let pauses = (0..<2_000).compactMap { _ in pause(after: attempts, random: random) }
    #expect(pauses.count == 2_000 && pauses.allSatisfy { (0...maximum).contains($0) })
    #expect(pauses.contains { $0 < maximum / 10 } && pauses.contains { $0 > maximum / 10 * 9 })
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
