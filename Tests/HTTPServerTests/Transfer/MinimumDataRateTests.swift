import Testing

@testable import HTTPServer

@Suite struct MinimumDataRateTests {
  private static let limits = Limits().with {
    ($0.dataRateGrace, $0.minBytesPerSecond, $0.shortageBytesPerSecond) = (10_000, 100, 1_000)
  }

  private var rate = MinimumDataRate(limits: limits, timeout: 3_000)

  @Test(arguments: [0, 1_000_000])
  mutating func `pauses add up to the grace, whatever has moved before, and then the client's time is over`(moved: Int)
  {
    rate.count(moved)
    var now: Int64 = 0
    for expected: Int64 in [3_000, 3_000, 3_000, 2_500, 0] {
      #expect(rate.beginWait(now: now) == expected)
      now += 2_500
      rate.endWait(now: now)
    }
  }

  @Test mutating func `every byte that moves earns time`() {
    for now in stride(from: Int64(0), to: 100_000, by: 1_000) {
      #expect(rate.beginWait(now: now) == 3_000)
      rate.count(100)
      rate.endWait(now: now + 1_000)
    }
  }

  @Test mutating func `time that the server takes for itself costs nothing`() {
    _ = rate.beginWait(now: 0)
    rate.endWait(now: 1_000)
    #expect(rate.beginWait(now: 1_000_000) == 3_000)
    rate.endWait(now: 1_002_000)
    #expect(rate.beginWait(now: 1_002_000) == 3_000)
  }

  @Test mutating func `single bytes pay for no more than they are worth`() {
    var now: Int64 = 0
    var waits = 0
    while rate.beginWait(now: now) > 0 {
      now += 2_500
      rate.endWait(now: now)
      rate.count(1)
      waits += 1
    }
    #expect(waits == 5)
  }

  @Test mutating func `what is held in memory must move faster`() {
    rate.holdMemory(Self.limits.with { ($0.heldDataRateGrace, $0.minHeldBytesPerSecond) = (1_000, 1_000) })
    for now in stride(from: Int64(0), to: 10_000, by: 1_000) {
      #expect(rate.beginWait(now: now) == 1_000)
      rate.endWait(now: now + 1_000)
      rate.count(1_000)
    }
    #expect(rate.beginWait(now: 10_000) == 1_000)
    rate.endWait(now: 11_000)
    rate.count(100)
    #expect(rate.beginWait(now: 11_000) == 100)
  }

  @Test mutating func `the delay is what a faster client would not have taken`() {
    _ = rate.beginWait(now: 0)
    rate.endWait(now: 5_000)
    rate.count(4_000)
    #expect(rate.delay(now: 9_000) == 1_000)
    rate.count(1_000_000)
    #expect(rate.delay(now: 9_000) == 0)
    _ = rate.beginWait(now: 9_000)
    #expect(rate.delay(now: 9_500) == 500)
  }
}
