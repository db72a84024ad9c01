import TestSupport
import Testing

@testable import HTTPServer

@Suite struct TicketKeysTests {
  private static let hour: Int64 = 3_600_000

  private func isKnown(_ key: TicketKeys.Key, to keys: TicketKeys) -> Bool {
    key.name.withUnsafeBufferPointer { keys.key(named: $0) != nil }
  }

  @Test func `a key makes tickets for an hour, and is forgotten two hours later`() {
    let clock = SettableClock(0)
    let keys = TicketKeys(clock: { clock.now })
    let first = keys.current()
    clock.advance(milliseconds: Self.hour - 1)
    #expect(keys.current().name == first.name)
    clock.advance(milliseconds: 1)
    let second = keys.current()
    #expect(second.name != first.name && second.cipherKey != first.cipherKey && second.macKey != first.macKey)
    clock.advance(milliseconds: 2 * Self.hour - 1)
    #expect(isKnown(first, to: keys) && isKnown(second, to: keys))
    clock.advance(milliseconds: 1)
    #expect(!isKnown(first, to: keys) && isKnown(second, to: keys))
  }

  @Test func `a ticket of another server is unknown`() {
    #expect(!isKnown(TicketKeys().current(), to: TicketKeys()))
  }
}
