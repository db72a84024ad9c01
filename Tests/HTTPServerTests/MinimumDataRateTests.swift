import Testing

@testable import HTTPServer

@Suite struct MinimumDataRateTests {
  private static func limits() -> Limits {
    var limits = Limits()
    limits.dataRateGrace = 10_000
    limits.minBytesPerSecond = 100
    return limits
  }

  private var pace = MinimumDataRate(limits: limits(), pause: 3_000)

  @Test mutating func `a pause may take as long as it may`() {
    #expect(pace.wait(now: 0) == 3_000)
  }

  @Test mutating func `pauses add up to the grace, and then the client's time is over`() {
    var now: Int64 = 0
    for expected: Int64 in [3_000, 3_000, 3_000, 2_500, 0] {
      #expect(pace.wait(now: now) == expected)
      now += 2_500
      pace.proceed(now: now)
    }
  }

  @Test mutating func `every byte that moves earns time`() {
    for now in stride(from: Int64(0), to: 100_000, by: 1_000) {
      #expect(pace.wait(now: now) == 3_000)
      pace.move(100)
      pace.proceed(now: now + 1_000)
    }
  }

  @Test mutating func `time that the server takes for itself costs nothing`() {
    _ = pace.wait(now: 0)
    pace.proceed(now: 1_000)
    #expect(pace.wait(now: 1_000_000) == 3_000)
    pace.proceed(now: 1_002_000)
    #expect(pace.wait(now: 1_002_000) == 3_000)
  }
}
