import Platform
import Testing

@testable import HTTPServer

@Suite struct EventLoopTests {
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
