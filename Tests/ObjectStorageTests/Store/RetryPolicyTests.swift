import Cryptography
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite struct `Pauses between attempts` {
  private func pauses(after attempts: Int, count: Int = 2_000) -> [Int64?] {
    let generator = Monitor(SplitMix64(seed: 5))
    let random = RandomSource { count in generator.withLock { $0.bytes(count) } }
    return (0..<count).map { _ in
      RetryPolicy().pause(afterAttempts: attempts, elapsed: 0, retryAfterSeconds: nil, random: random)
    }
  }

  @Test(arguments: [(1, Int64(100)), (2, 200), (3, 400)])
  func `are anything up to a maximum that doubles`(attempts: Int, maximum: Int64) {
    let pauses = pauses(after: attempts).compactMap { $0 }
    #expect(pauses.count == 2_000 && pauses.allSatisfy { (0...maximum).contains($0) })
    #expect(pauses.contains { $0 < maximum / 10 } && pauses.contains { $0 > maximum / 10 * 9 })
  }

  @Test func `end after four attempts, and after twenty seconds`() {
    let policy = RetryPolicy()
    #expect(pauses(after: 4, count: 10).allSatisfy { $0 == nil })
    #expect(policy.pause(afterAttempts: 1, elapsed: 20_000, retryAfterSeconds: nil, random: .system) == nil)
    #expect(policy.pause(afterAttempts: 1, elapsed: 19_000, retryAfterSeconds: 1, random: .system) == nil)
  }

  @Test(arguments: [Int64(0), 1, 19]) func `are not shorter than the store asks for`(seconds: Int64) {
    let pause = RetryPolicy().pause(afterAttempts: 1, elapsed: 0, retryAfterSeconds: seconds, random: .system)
    #expect((pause ?? -1) >= seconds * 1000 && (pause ?? -1) <= max(100, seconds * 1000))
  }

  @Test(arguments: [Int64(20), 86_400, Int64.max]) func `are not made where the store asks for too long a one`(
    seconds: Int64
  ) {
    #expect(RetryPolicy().pause(afterAttempts: 1, elapsed: 0, retryAfterSeconds: seconds, random: .system) == nil)
  }

  @Test func `have no maximum that overflows`() {
    var policy = RetryPolicy()
    (policy.maxAttempts, policy.backoff.base) = (.max, .max)
    let pause = policy.pause(afterAttempts: 100, elapsed: 0, retryAfterSeconds: nil, random: .system)
    #expect((0...policy.backoff.maxDelay).contains(pause ?? -1))
  }
}
