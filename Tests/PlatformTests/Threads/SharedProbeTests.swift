import Platform
import TestSupport
import Testing

@Suite struct SharedProbeTests {
  private let clock = SettableClock()

  @Test func `callers at the same time share a search, and later ones wait for no hanging one`() async {
    let probe = SharedProbe<Int>(patience: 100, clock: { [clock] in clock.now }) { _ in 0 }
    let (results, finish) = AsyncStream<Int>.makeStream()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let searches = Monitor(0)
    let find = { @Sendable (_: Int?) async -> Int in
      searches.withLock { $0 += 1 }
      begin.yield()
      return await results.first { _ in true } ?? 0
    }
    async let first = probe.value(orLate: { _ in -1 }, by: find)
    _ = await begun.first { _ in true }
    async let second = probe.value(orLate: { _ in -1 }, by: find)
    clock.advance(milliseconds: 100)
    #expect(await probe.value(orLate: { $0 ?? -2 }, by: find) == -2)
    finish.yield(7)
    let both = await [first, second]
    #expect(both[0] == 7 && [7, -1].contains(both[1]))
    #expect(searches.withLock { $0 } == 1)
  }

  @Test func `a result is used for longer the longer it took`() async {
    let clock = clock
    let probe = SharedProbe<Int>(patience: 100, clock: { clock.now }) { $0 * 10 }
    func value() async -> Int {
      await probe.value(orLate: { _ in -1 }) { last in
        clock.advance(milliseconds: 5)
        return (last ?? 0) + 1
      }
    }
    #expect(await value() == 1)
    clock.advance(milliseconds: 44)
    #expect(await value() == 1)
    clock.advance(milliseconds: 1)
    #expect(await value() == 2)
  }
}
