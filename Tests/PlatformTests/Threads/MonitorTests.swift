import Platform
import Testing

@Suite struct MonitorTests {
  @Test func `waiting ends with the deadline if nothing changes, and at once if the result is there`() {
    let monitor = Monitor(false)
    let deadline = monotonicMilliseconds() + 20
    #expect(monitor.wait(until: deadline) { $0 ? 1 : nil } == nil)
    #expect(monotonicMilliseconds() >= deadline)
    #expect(Monitor(true).wait(until: 0) { $0 ? 1 : nil } == 1)
  }

  @Test func `waiting ends before the deadline once another thread notifies`() throws {
    let monitor = Monitor(false)
    let thread = try Thread(named: "notifier") {
      monitor.withLock { $0 = true }
      monitor.notifyAll()
    }
    #expect(monitor.wait(until: monotonicMilliseconds() + 600_000) { $0 ? 1 : nil } == 1)
    thread.join()
  }
}
