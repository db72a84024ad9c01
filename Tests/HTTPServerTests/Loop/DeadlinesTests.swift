import TestSupport
import Testing

@testable import HTTPServer

@Suite struct DeadlinesTests {
  /// When each id expires, in a loop that waits as long as it may, and at times is woken earlier.
  private func expirations(_ deadlines: inout Deadlines, from start: Int64, to end: Int64) -> [Int: Int64] {
    var times: [Int: Int64] = [:]
    var now = start
    while now <= end {
      for id in deadlines.takeExpired(at: now) { times[id] = now }
      now += min(max(1, Int64(deadlines.wait(from: now))), now % 3 == 0 ? 7 : .max)
    }
    return times
  }

  @Test(arguments: [0, 1, 127, 128, 129, 5_000, 100_000])
  func `a deadline is met once, never early and hardly late`(delay: Int64) throws {
    let start: Int64 = 1_000_003
    var deadlines = Deadlines()
    deadlines.set(3, to: start + delay)
    let times = expirations(&deadlines, from: start, to: start + delay + 1_000)
    #expect(times.keys.sorted() == [3])
    #expect((start + delay...start + delay + Deadlines.resolution).contains(try #require(times[3])))
    #expect(expirations(&deadlines, from: start + 200_000, to: start + 300_000).isEmpty)
  }

  @Test(arguments: [[1_000, 9_000], [9_000, 1_000], [1_000, 9_000, 4_000]] as [[Int64]])
  func `a deadline that is moved is met at the last time set`(times: [Int64]) throws {
    var deadlines = Deadlines()
    for time in times { deadlines.set(0, to: time) }
    let last = try #require(times.last)
    let time = try #require(expirations(&deadlines, from: 0, to: 20_000)[0])
    #expect((last...last + Deadlines.resolution).contains(time))
  }

  @Test func `what is cleared never expires, and can be set again`() {
    var deadlines = Deadlines()
    for id in 0..<5 { deadlines.set(id, to: 500) }
    deadlines.clear(2)
    deadlines.clear(99)
    #expect(deadlines.takeExpired(at: 1_000) == [0, 1, 3, 4])
    deadlines.set(2, to: 1_500)
    #expect(deadlines.takeExpired(at: 1_000 + Deadlines.resolution - 1) == [])
    #expect(deadlines.takeExpired(at: 2_000) == [2])
  }
}
