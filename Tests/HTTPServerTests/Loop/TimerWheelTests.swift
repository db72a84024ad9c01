import TestSupport
import Testing

@testable import HTTPServer

@Suite struct TimerWheelTests {
  /// How late a deadline may be met, given a turn at every instant.
  private static let late = TimerWheel.resolution
  /// What the wheel covers before it comes round.
  private static let turn = TimerWheel.resolution * 512

  /// Moves on a few milliseconds at a time, as a busy loop does; when each id came due.
  private func dueTimes(_ wheel: inout TimerWheel, from start: Int64, to end: Int64) -> [Int: Int64] {
    var times: [Int: Int64] = [:]
    for now in stride(from: start, through: end, by: 7) {
      for id in wheel.advance(to: now) { times[id] = now }
    }
    return times
  }

  @Test(arguments: [0, 1, 127, 128, 129, 5_000, turn - 1, turn, turn + 1, 3 * turn + 50])
  func `a deadline is met once, never early and hardly late`(delay: Int64) {
    let start: Int64 = 1_000_003
    var wheel = TimerWheel(now: start)
    wheel.set(3, deadline: start + delay)
    #expect(wheel.advance(to: start + delay - 1) == [])
    let times = dueTimes(&wheel, from: start + delay, to: start + delay + Self.late + 7)
    #expect(times.keys.sorted() == [3])
    #expect(wheel.advance(to: start + delay + 10 * Self.turn) == [])
  }

  @Test func `a deadline can be moved later`() throws {
    var wheel = TimerWheel(now: 0)
    wheel.set(0, deadline: 1_000)
    wheel.set(0, deadline: 9_000)
    let time = try #require(dueTimes(&wheel, from: 0, to: 20_000)[0])
    #expect((9_000...(9_000 + Self.late + 7)).contains(time))
  }

  @Test func `a deadline can be moved earlier`() throws {
    var wheel = TimerWheel(now: 0)
    wheel.set(0, deadline: 9_000)
    wheel.set(0, deadline: 1_000)
    let time = try #require(dueTimes(&wheel, from: 0, to: 20_000)[0])
    #expect((1_000...(1_000 + Self.late + 7)).contains(time))
  }

  @Test func `a deadline moved later and then earlier again is met at the last time set`() throws {
    var wheel = TimerWheel(now: 0)
    wheel.set(0, deadline: 1_000)
    wheel.set(0, deadline: 9_000)
    wheel.set(0, deadline: 4_000)
    let time = try #require(dueTimes(&wheel, from: 0, to: 20_000)[0])
    #expect((4_000...(4_000 + Self.late + 7)).contains(time))
  }

  @Test func `what is cleared never comes due, and can be set again`() {
    var wheel = TimerWheel(now: 0)
    for id in 0..<5 { wheel.set(id, deadline: 500) }
    wheel.clear(2)
    wheel.clear(2)
    wheel.clear(99)
    #expect(wheel.advance(to: 1_000).sorted() == [0, 1, 3, 4])
    wheel.set(2, deadline: 1_500)
    #expect(wheel.advance(to: 2_000) == [2])
  }

  @Test func `a deadline that has passed already is met at the next opportunity`() {
    var wheel = TimerWheel(now: 100_000)
    wheel.set(0, deadline: 0)
    wheel.set(1, deadline: 100_000)
    #expect(wheel.advance(to: 100_000 + Self.late).sorted() == [0, 1])
  }

  @Test(arguments: [turn / 2, turn - 1, turn, turn + 1, 100 * turn])
  func `after a long sleep everything due is found in one turn, and nothing else`(sleep: Int64) {
    var wheel = TimerWheel(now: 77)
    for id in 0..<600 { wheel.set(id, deadline: 77 + Int64(id) * sleep / 500) }
    let due = wheel.advance(to: 77 + sleep)
    #expect(Set(due).isSubset(of: 0...500))
    #expect(Set(due).isSuperset(of: (0...500).filter { Int64($0) * sleep / 500 <= sleep - Self.late }))
    #expect(due.count == Set(due).count)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `ten thousand ids come due when a plain list says so`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var now: Int64 = 50_000_000
    var wheel = TimerWheel(now: now)
    var model: [Int: Int64] = [:]
    for _ in 0..<100 {
      for _ in 0..<400 {
        let id = Int.random(in: 0..<10_000, using: &random)
        if Int.random(in: 0..<5, using: &random) == 0 {
          wheel.clear(id)
          model[id] = nil
        } else {
          let deadline = now + Int64.random(in: 0...(3 * Self.turn), using: &random)
          wheel.set(id, deadline: deadline)
          model[id] = deadline
        }
      }
      now += Int64.random(in: 0...1_500, using: &random)
      if Int.random(in: 0..<60, using: &random) == 0 { now += 2 * Self.turn }
      let due = wheel.advance(to: now)
      let early = due.filter { (model[$0] ?? .max) > now }
      #expect(early == [])
      for id in due { model[id] = nil }
      let missed = model.filter { $0.value <= now - Self.late }
      #expect(missed.isEmpty)
    }
    #expect(Set(wheel.advance(to: now + 4 * Self.turn)) == Set(model.keys))
  }
}
