import Testing
import Platform

@Suite struct ThreadLocalTests {
  private final class Object {}

  @Test func `a thread has its object during the call, and the outer one after it`() {
    let local = ThreadLocal<Object>()
    let (outer, inner) = (Object(), Object())
    #expect(local.value == nil)
    local.withValue(outer) {
      #expect(local.value === outer)
      local.withValue(inner) { #expect(local.value === inner) }
      #expect(local.value === outer)
    }
    #expect(local.value == nil)
  }

  @Test func `another thread does not see it`() throws {
    let local = ThreadLocal<Object>()
    let isSeen = Monitor<Bool?>(nil)
    try local.withValue(Object()) {
      try Thread(named: "other") { isSeen.withLock { $0 = local.value != nil } }.join()
    }
    #expect(isSeen.withLock { $0 } == false)
  }

  @Test func `an error passes`() {
    struct Refused: Error {}
    let local = ThreadLocal<Object>()
    #expect(throws: Refused.self) { try local.withValue(Object()) { throw Refused() } }
    #expect(local.value == nil)
  }
}
