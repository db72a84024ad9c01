import Testing

@testable import SelfieAPI

@Suite struct AttemptCounterTests {
  private let limit = AttemptCounter(maxAttempts: 10, window: 180_000)
  private let key = AttemptCounter.Key.account(1)
  private let other = AttemptCounter.Key.account(2)

  @Test func `ten failures within the window make the next attempt wait until the first has left it`() {
    for second in 0..<10 {
      #expect(limit.wait(for: [key], now: Int64(second) * 1000) == 0)
      limit.record([key], now: Int64(second) * 1000)
    }
    #expect(limit.wait(for: [key], now: 10_000) == 170_000)
    #expect(limit.wait(for: [key], now: 179_999) == 1)
    #expect(limit.wait(for: [key], now: 180_000) == 0)
  }

  @Test func `an eleventh failure after the first has left the window makes the next wait for the second`() {
    for second in 0..<10 { limit.record([key], now: Int64(second) * 1000) }
    limit.record([key], now: 180_500)
    #expect(limit.wait(for: [key], now: 180_500) == 500)
  }

  @Test func `other keys are not affected, but all that share a key have to wait`() {
    for _ in 0..<10 { limit.record([key], now: 0) }
    #expect(limit.wait(for: [other], now: 0) == 0)
    #expect(limit.wait(for: [.unknown([1])], now: 0) == 0)
    #expect(limit.wait(for: [other, key], now: 0) == 180_000)
  }

  @Test func `the failures of one key can be forgotten, and those of all`() {
    for _ in 0..<10 { limit.record([key, other], now: 0) }
    limit.reset(key)
    #expect(limit.wait(for: [key], now: 0) == 0)
    #expect(limit.wait(for: [other], now: 0) == 180_000)
    limit.resetAll()
    #expect(limit.wait(for: [other], now: 0) == 0)
  }

  @Test func `failures are remembered for the whole window, whatever others do meanwhile`() {
    limit.record([other], now: 0)
    for _ in 0..<10 { limit.record([key], now: 179_000) }
    limit.record([other], now: 181_000)
    #expect(limit.wait(for: [key], now: 182_000) == 177_000)
  }

  @Test func `a flood of unknown addresses and of clients does not push out the count of an account`() throws {
    for _ in 0..<10 { limit.record([key], now: 0) }
    for number in 0..<40_000 {
      let address = try #require(ClientAddress("203.\(number >> 16).\(number >> 8 & 255).\(number & 255)"))
      let client = Client(address).groups.map(AttemptCounter.Key.client)
      limit.record([.unknown(Array("flood\(number)@example.com".utf8))] + client, now: 1)
    }
    #expect(limit.wait(for: [key], now: 2) == 179_998)
  }

  @Test func `a flood of wrong passwords for other accounts does not push out an account at its limit`() {
    for _ in 0..<10 { limit.record([key], now: 0) }
    for number in 0..<200_000 { limit.record([.account(Int64(number + 10))], now: 1) }
    #expect(limit.wait(for: [key], now: 2) == 179_998)
    for _ in 0..<10 { limit.record([other], now: 3) }
    #expect(limit.wait(for: [other], now: 3) == 180_000)
  }

  @Test func `all networks of one site have a limit of their own`() throws {
    func client(_ number: Int) throws -> [AttemptCounter.Key] {
      let network = String(number * 256, radix: 16)
      return Client(try #require(ClientAddress("2001:db8:7:\(network)::1"))).groups.map(AttemptCounter.Key.client)
    }
    for number in 0..<100 {
      let keys = try client(number)
      #expect(limit.wait(for: keys, now: 0) == 0)
      limit.record(keys, now: 0)
    }
    #expect(limit.wait(for: try client(100), now: 0) == 180_000)
    let elsewhere = Client(try #require(ClientAddress("2001:db8:8::1"))).groups.map(AttemptCounter.Key.client)
    #expect(limit.wait(for: elsewhere, now: 0) == 0)
  }

  @Test func `all networks of one household have a limit of their own`() throws {
    func client(_ number: Int) throws -> [AttemptCounter.Key] {
      Client(try #require(ClientAddress("2001:db8:7:\(number)::1"))).groups.map(AttemptCounter.Key.client)
    }
    for number in 0..<30 { limit.record(try client(number % 10), now: 0) }
    #expect(limit.wait(for: try client(10), now: 0) == 180_000)
    #expect(limit.wait(for: try client(1000), now: 0) == 0)
  }
}
