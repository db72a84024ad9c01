import Testing

@testable import SelfieAPI

@Suite struct FailureCounterTests {
  private let limit = FailureCounter()
  private let key = FailureCounter.Key.account("jo@example.com")
  private let other = FailureCounter.Key.account("al@example.com")

  @Test func `ten failures within the window make the next attempt wait until the first has left it`() {
    for second in 0..<10 {
      #expect(limit.wait(for: [key], now: Int64(second) * 1000) == 0)
      limit.record([key], now: Int64(second) * 1000)
    }
    #expect(limit.wait(for: [key], now: 10_000) == 170_000)
    #expect(limit.wait(for: [key], now: 179_999) == 1)
    #expect(limit.wait(for: [key], now: 180_000) == 0)
  }

  @Test func `an eleventh failure after the first has left the window makes the next wait for the second`() {
    for second in 0..<10 { limit.record([key], now: Int64(second) * 1000) }
    limit.record([key], now: 180_500)
    #expect(limit.wait(for: [key], now: 180_500) == 500)
  }

  @Test func `other keys are not affected, but all that share a key have to wait`() {
    for _ in 0..<10 { limit.record([key], now: 0) }
    #expect(limit.wait(for: [other], now: 0) == 0)
    #expect(limit.wait(for: [other, key], now: 0) == 180_000)
  }

  @Test func `the failures of one key can be forgotten`() {
    for _ in 0..<10 { limit.record([key, other], now: 0) }
    limit.reset(key)
    #expect(limit.wait(for: [key], now: 0) == 0)
    #expect(limit.wait(for: [other], now: 0) == 180_000)
  }

  @Test func `failures are remembered for the whole window, also over a change of generations`() {
    limit.record([other], now: 0)
    for _ in 0..<10 { limit.record([key], now: 179_000) }
    limit.record([other], now: 181_000)
    #expect(limit.wait(for: [key], now: 182_000) == 177_000)
  }

  @Test func `a flood of keys pushes out the oldest, and the newest still count`() {
    for _ in 0..<10 { limit.record([key], now: 0) }
    for number in 0..<(2 * FailureCounter.maxKeysPerGeneration + 1) {
      limit.record([.account("flood\(number)")], now: 1)
    }
    for _ in 0..<10 { limit.record([other], now: 2) }
    #expect(limit.wait(for: [key], now: 3) == 0)
    #expect(limit.wait(for: [other], now: 3) > 0)
  }
}
