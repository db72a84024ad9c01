import SelfieTestControl
import SelfieTestDocuments
import TestSupport
import Testing

@Suite struct WorldClockTests {
  /// The real time, which the test moves.
  let real = SettableClock()
  /// The system's monotonic time, which the test moves too.
  let uptime = SettableClock(0)
  let clock: WorldClock

  init() {
    let (real, uptime) = (real, uptime)
    clock = WorldClock(real: { real.now }, uptime: { uptime.now })
  }

  @Test func `shows the real time until it is turned, and runs on from there`() {
    #expect(clock.time == real.now)
    real.advance(milliseconds: 1500)
    #expect(clock.time == real.now)
    #expect(clock.offset == 0)
    clock.apply(ClockChange(advance: .milliseconds(25 * 3_600_000)))
    real.advance(milliseconds: 10)
    #expect(clock.time == real.now + 25 * 3_600_000)
    clock.apply(ClockChange(advance: .milliseconds(-3_600_000)))
    #expect(clock.time == real.now + 24 * 3_600_000)
    clock.apply(ClockChange(set: 1000))
    real.advance(milliseconds: 7)
    #expect(clock.time == 1007)
  }

  @Test func `stands still until it runs, and loses no time then`() {
    clock.apply(ClockChange(freeze: .at(5000)))
    real.advance(milliseconds: 100)
    #expect(clock.time == 5000)
    #expect(clock.isFrozen)
    clock.apply(ClockChange(advance: .milliseconds(50)))
    #expect(clock.time == 5050)
    clock.apply(ClockChange(run: true))
    #expect(clock.time == 5050)
    real.advance(milliseconds: 3)
    #expect(clock.time == 5053)
    #expect(!clock.isFrozen)
  }

  @Test func `elapsed time goes forward with the clock, and never back`() {
    let start = clock.elapsed
    uptime.advance(milliseconds: 10)
    #expect(clock.elapsed == start + 10)
    clock.apply(ClockChange(advance: .milliseconds(1000)))
    #expect(clock.elapsed == start + 1010)
    clock.apply(ClockChange(advance: .milliseconds(-5000)))
    real.advance(milliseconds: -86_400_000)
    #expect(clock.elapsed == start + 1010)
    uptime.advance(milliseconds: 5)
    #expect(clock.elapsed == start + 1015)
    clock.apply(ClockChange(reset: true))
    #expect(clock.elapsed >= start + 1015)
  }

  @Test func `elapsed time stands still while the clock is frozen`() {
    let start = clock.elapsed
    clock.apply(ClockChange(freeze: .here(true)))
    uptime.advance(milliseconds: 500)
    #expect(clock.elapsed == start)
    clock.apply(ClockChange(advance: .milliseconds(20)))
    #expect(clock.elapsed == start + 20)
    clock.apply(ClockChange(run: true))
    #expect(clock.elapsed == start + 20)
    uptime.advance(milliseconds: 7)
    #expect(clock.elapsed == start + 27)
  }

  @Test(arguments: [Int64.min, Int64.max])
  func `stays between 1970 and 9999`(far: Int64) {
    let end = far < 0 ? TestInstant.range.lowerBound : TestInstant.range.upperBound
    clock.apply(ClockChange(advance: .milliseconds(far)))
    #expect(clock.time == end)
    clock.apply(ClockChange(freeze: .at(TestInstant(milliseconds: far))))
    #expect(clock.time == end)
    clock.apply(ClockChange(advance: .milliseconds(far)))
    #expect(clock.time == end)
  }
}
