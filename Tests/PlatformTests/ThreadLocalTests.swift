import Platform
import Testing

@Suite struct ThreadLocalTests {
  private final class Object {}

  @Test func `a thread has the object that it has set, and another does not see it`() throws {
    let local = ThreadLocal<Object>()
    let (first, second) = (Object(), Object())
    #expect(local.value == nil)
    local.value = first
    #expect(local.value === first)
    local.value = second
    #expect(local.value === second)
    let isSeen = Monitor<Bool?>(nil)
    try Thread(named: "other") { isSeen.withLock { $0 = local.value != nil } }.join()
    #expect(isSeen.withLock { $0 } == false)
    local.value = nil
    #expect(local.value == nil)
  }

  @Test func `an object is released when it is replaced`() {
    let local = ThreadLocal<Object>()
    weak var object: Object?
    do {
      let first = Object()
      local.value = first
      object = first
    }
    #expect(object != nil)
    local.value = nil
    #expect(object == nil)
  }

  @Test func `an object is released when its thread ends`() throws {
    final class Released: Sendable {
      let count = Monitor(0)
    }
    final class Noisy {
      let released: Released
      init(_ released: Released) { self.released = released }
      deinit { released.count.withLock { $0 += 1 } }
    }
    let local = ThreadLocal<Noisy>()
    let released = Released()
    try Thread(named: "short") { local.value = Noisy(released) }.join()
    #expect(released.count.withLock { $0 } == 1)
  }
}
