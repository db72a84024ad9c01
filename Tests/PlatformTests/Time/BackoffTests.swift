import Platform
import Testing

@Suite struct BackoffTests {
  @Test func `the delay doubles up to a limit, and is a random part of that`() {
    let backoff = Backoff(base: 100, maxDelay: 10_000)
    #expect([1, 2, 3, 8, 1000].map { backoff.delay(afterFailures: $0, random: 1) } == [100, 200, 400, 10_000, 10_000])
    #expect(backoff.delay(afterFailures: 3, random: 0) == 0)
    #expect(backoff.delay(afterFailures: 3, random: 0.5) == 200)
  }
}
