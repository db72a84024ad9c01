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

  @Test func `an object is released when it is replaced, and when its thread ends`() throws {
    final class Noisy {
      let released: Monitor<Int>
      init(_ released: Monitor<Int>) { self.released = released }
      deinit { released.withLock { $0 += 1 } }
    }
    let (local, released) = (ThreadLocal<Noisy>(), Monitor(0))
    try Thread(named: "short") {
      local.value = Noisy(released)
      local.value = Noisy(released)
      #expect(released.withLock { $0 } == 1)
    }.join()
    #expect(released.withLock { $0 } == 2)
  }
}
