import Testing

@testable import SelfieAPI

@Suite struct SlidingWindowTests {
  private var window = SlidingWindow(maxEvents: 3, window: 100, maxKeys: 8)

  @Test mutating func `of too many keys, those without an event in the window go first`() {
    for key in 0..<4 {
      for _ in 0..<3 { window.record(key, now: 0) }
    }
    for key in 4..<8 { window.record(key, now: 100) }
    window.record(8, now: 100)
    for key in 4..<8 {
      for _ in 0..<2 { window.record(key, now: 100) }
      #expect(window.wait(for: key, now: 100) == 100)
    }
  }

  @Test mutating func `then those with the fewest, and not all of them`() {
    for key in 0..<3 { window.record(key, now: 0) }
    for key in 3..<8 {
      for _ in 0..<3 { window.record(key, now: 0) }
    }
    window.record(8, now: 1)
    let stillWaiting = (3..<8).filter { window.wait(for: $0, now: 1) == 99 }
    #expect(stillWaiting.count == 5)
  }

  @Test mutating func `where all are at their limit, most of them stay`() {
    for key in 0..<8 {
      for _ in 0..<3 { window.record(key, now: 0) }
    }
    window.record(8, now: 1)
    #expect((0..<8).count { window.wait(for: $0, now: 1) == 99 } == 6)
  }

  @Test func `of too many events, those of the keys with the fewest go`() {
    var window = SlidingWindow(maxEvents: 1000, window: 100, maxKeys: 1000, maxTimes: 1500)
    for _ in 0..<1000 { window.record(0, now: 0) }
    for key in 1..<1000 { window.record(key, now: 0) }
    #expect(window.wait(for: 0, now: 0) == 100)
    window.reset(0)
    for key in 1..<1000 {
      for _ in 0..<2 { window.record(key, now: 200) }
    }
    for _ in 0..<1000 { window.record(5000, now: 200) }
    #expect(window.wait(for: 5000, now: 200) == 100)
  }

  @Test mutating func `the newest key counts, however full it is`() {
    for key in 0..<100 {
      for _ in 0..<3 { window.record(key, now: 0) }
      #expect(window.wait(for: key, now: 0) == 100)
    }
  }
}
