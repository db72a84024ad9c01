import Testing

@testable import SelfieAPI

@Suite struct AttemptCountsTests {
  private var limit = AttemptCounts()
  private let key = AttemptCounts.Key.account(.user(1))
  private let other = AttemptCounts.Key.account(.user(2))

  @Test mutating func `ten failures within the window make the next attempt wait until the first has left it`() {
    for second in 0..<10 {
      #expect(limit.wait(for: [key], now: Int64(second) * 1000) == 0)
      limit.record([key], now: Int64(second) * 1000)
    }
    #expect(limit.wait(for: [key], now: 10_000) == 170_000)
    #expect(limit.wait(for: [key], now: 179_999) == 1)
    #expect(limit.wait(for: [key], now: 180_000) == 0)
  }

  @Test mutating func `an eleventh failure after the first has left the window makes the next wait for the second`() {
    for second in 0..<10 { limit.record([key], now: Int64(second) * 1000) }
    limit.record([key], now: 180_500)
    #expect(limit.wait(for: [key], now: 180_500) == 500)
  }

  @Test mutating func `no more attempts are under way than may fail`() {
    for _ in 0..<8 { limit.record([key], now: 0) }
    #expect(limit.begin([key], now: 0) == 0 && limit.begin([key, other], now: 0) == 0)
    #expect(limit.begin([key], now: 0) == nil && limit.begin([other], now: 0) == 0)
    #expect(limit.recordIfAllowed([key], now: 0) > 0)
    limit.end([key, other], hasFailed: false, now: 0)
    #expect(limit.begin([key], now: 0) == 0)
    for _ in 0..<2 { limit.end([key], hasFailed: true, now: 0) }
    #expect(limit.begin([key], now: 0) == 180_000)
  }

  @Test mutating func `other keys are not affected, but all that share a key have to wait`() {
    for _ in 0..<10 { limit.record([key], now: 0) }
    #expect(limit.wait(for: [other], now: 0) == 0)
    #expect(limit.wait(for: [.unknown([1])], now: 0) == 0)
    #expect(limit.wait(for: [other, key], now: 0) == 180_000)
  }

  @Test mutating func `the failures of one key can be forgotten`() {
    for _ in 0..<10 { limit.record([key, other], now: 0) }
    limit.forget(key)
    #expect(limit.wait(for: [key], now: 0) == 0)
    #expect(limit.wait(for: [other], now: 0) == 180_000)
  }

  @Test mutating func `failures are remembered for the whole window, whatever others do meanwhile`() {
    limit.record([other], now: 0)
    for _ in 0..<10 { limit.record([key], now: 179_000) }
    limit.record([other], now: 181_000)
    #expect(limit.wait(for: [key], now: 182_000) == 177_000)
  }

  @Test
  mutating func `a flood of unknown addresses, of clients and of sign-ups does not push out the count of an account`()
    throws
  {
    for _ in 0..<10 { limit.record([key], now: 0) }
    for number in 0..<40_000 {
      let address = try #require(ClientAddress("203.\(number >> 16).\(number >> 8 & 255).\(number & 255)"))
      let groups = Client.groups(of: address)
      limit.record([.account(nil, named: "flood\(number)@example.com")], now: 1)
      limit.record(groups.map { .client($0) } + groups.map { .signup($0) }, now: 1)
    }
    #expect(limit.wait(for: [key], now: 2) == 179_998)
  }

  @Test mutating func `a flood of wrong passwords for other accounts does not push out an account at its limit`() {
    for _ in 0..<10 { limit.record([key], now: 0) }
    for number in 0..<200_000 { limit.record([.account(.user(Int64(number + 10)))], now: 1) }
    #expect(limit.wait(for: [key], now: 2) == 179_998)
    for _ in 0..<10 { limit.record([other], now: 3) }
    #expect(limit.wait(for: [other], now: 3) == 180_000)
  }

  @Test mutating func `all networks of one site have a limit of their own`() throws {
    func client(_ number: Int) throws -> [AttemptCounts.Key] {
      let network = String(number * 256, radix: 16)
      return Client.groups(of: try #require(ClientAddress("2001:db8:7:\(network)::1")))
        .map(AttemptCounts.Key.client)
    }
    for number in 0..<100 {
      let keys = try client(number)
      #expect(limit.wait(for: keys, now: 0) == 0)
      limit.record(keys, now: 0)
    }
    #expect(limit.wait(for: try client(100), now: 0) == 180_000)
    let elsewhere = Client.groups(of: try #require(ClientAddress("2001:db8:8::1"))).map(AttemptCounts.Key.client)
    #expect(limit.wait(for: elsewhere, now: 0) == 0)
  }
}
