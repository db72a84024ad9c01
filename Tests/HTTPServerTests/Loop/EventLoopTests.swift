import Platform
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
  @Test func `a loop that stops also runs what its last work submits`() throws {
    let loop = try EventLoop()
    let done = Monitor<[Int]>([])
    loop.execute {
      loop.execute { done.withLock { $0.append(2) } }
      done.withLock { $0.append(1) }
    }
    loop.stop()
    loop.run(turn: { _, _ in }, endOfTurn: {}, timeout: { 0 })
    #expect(done.withLock { $0 } == [1, 2])
  }

  @Test func `events come before what is left of work that has taken a millisecond`() throws {
    let loop = try EventLoop()
    let order = Monitor<[String]>([])
    loop.execute {
      let end = monotonicNanoseconds() + 1_000_000
      while monotonicNanoseconds() < end {}
      order.withLock { $0.append("long work") }
    }
    loop.execute {
      order.withLock { $0.append("the rest") }
      loop.stop()
    }
    loop.run(
      turn: { _, isBehind in order.withLock { $0.append(isBehind ? "late turn" : "turn") } }, endOfTurn: {},
      timeout: { 0 })
    #expect(order.withLock { $0 } == ["turn", "long work", "late turn", "the rest"])
  }
}
