import APITestSupport
import SQL
import Testing

@testable import SelfieAPI

/// Refreshes with a token that has changed since the request was checked.
@Suite(.eachDatabase) struct RefreshWritesTests {
  private let fixture: WritesFixture
  private let old: Token

  init() async throws {
    fixture = try await WritesFixture()
    old = try await fixture.token(1, of: fixture.jane)
  }

  private var store: TokenStore { fixture.tokens }

  private func newToken(_ number: UInt8, at time: Int64) -> Token {
    Token(
      digest: [UInt8](repeating: number, count: 32), userID: fixture.jane.id, expiresAt: time + 900_000,
      createdAt: time)
  }

  /// The result of a request that has read the token before.
  private func refresh(_ token: Token? = nil, by number: UInt8, at time: Int64) async throws -> String {
    switch try await store.refresh(token ?? old, by: newToken(number, at: time)) {
    case .refreshed(let user): user == fixture.jane ? "refreshed" : "another's"
    case .denied: "denied"
    case .reused: "reused"
    }
  }

  private func all() async throws -> [Token] { try await fixture.allTokens() }

  /// The old token after its first refresh.
  private func refreshed(at time: Int64) -> Token {
    var token = old
    token.refreshedAt = time
    token.expiresAt = min(old.expiresAt, time + RefreshPolicy.window)
    return token
  }

  private func inFamily(_ token: Token) -> Token {
    var token = token
    token.family = old.family
    return token
  }

  @Test func `two refreshes that have both read the token before either wrote give two tokens of its family`()
    async throws
  {
    #expect(try await refresh(by: 2, at: 200) == "refreshed")
    #expect(try await refresh(by: 3, at: 300) == "refreshed")
    #expect(
      try await all() == [refreshed(at: 200), inFamily(newToken(2, at: 200)), inFamily(newToken(3, at: 300))])
  }

  @Test func `a refresh that comes a minute after another one, though it has read the token before, ends the family`()
    async throws
  {
    let others = try await fixture.token(9, of: fixture.jane)
    #expect(try await refresh(by: 2, at: 200) == "refreshed")
    #expect(try await refresh(by: 3, at: 200 + RefreshPolicy.window) == "reused")
    #expect(try await all() == [others])
  }

  @Test func `expired tokens do not count for the number that a user may have, and as many are kept`() async throws {
    let max = Int(TokenStore.maxPerUser)
    // Younger than the live one, as those of a device are that refreshes often.
    let expired = (0..<max + 10).map { number in
      Token(
        digest: [UInt8(number >> 8), UInt8(number & 255), 1], userID: fixture.jane.id, expiresAt: 150,
        createdAt: 110 + Int64(number) / 10)
    }
    try await fixture.insert(expired)
    let refreshing = try await fixture.token(3, of: fixture.jane, createdAt: 140)
    #expect(try await refresh(refreshing, by: 2, at: 200) == "refreshed")
    #expect(try await store.find(digest: old.digest, now: 200) == old)
    let live = try await all().filter { $0.state == .live }
    #expect(live.filter { $0.expiresAt == 150 } == Array(expired.suffix(max - 1)))
  }

  @Test func `a token that is ended meanwhile is not refreshed, and ends nothing`() async throws {
    let others = try await fixture.token(9, of: fixture.jane)
    try await store.remove(old)
    try await fixture.expectNoChange { () async throws in
      #expect(try await refresh(by: 2, at: 200) == "denied")
      #expect(try await refresh(refreshed(at: 0), by: 2, at: RefreshPolicy.window) == "denied")
    }
    #expect(try await all() == [others])
  }

  @Test func `a token whose user signs out with it expired, meanwhile, is not refreshed`() async throws {
    try await store.forbidRefresh(of: old)
    try await fixture.expectNoChange { () async throws in
      #expect(try await refresh(by: 2, at: 200) == "denied")
    }
  }

  @Test func `a token that another user has since a reset is not ended`() async throws {
    var former = old
    former.userID = fixture.john.id
    try await fixture.expectNoChange {
      try await store.remove(former)
      try await store.forbidRefresh(of: former)
    }
  }

  @Test func `nothing is refreshed for a user who is disabled meanwhile, and no family ends`() async throws {
    _ = try await fixture.users.setDisabled(at: 5, of: "jane@x")
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.accountDisabled) { try await refresh(by: 2, at: 200) }
      await #expect(throws: Refusal.accountDisabled) {
        try await refresh(refreshed(at: 0), by: 2, at: RefreshPolicy.window)
      }
    }
  }

  @Test func `nothing is refreshed for a user who is gone`() async throws {
    try await fixture.delete(fixture.jane)
    try await fixture.expectNoChange { () async throws in
      #expect(try await refresh(by: 2, at: 200) == "denied")
    }
  }

  @Test func `a token that a sign-in retires meanwhile is refreshed and stays where it is`() async throws {
    try await fixture.retire(old)
    #expect(try await refresh(by: 2, at: 200) == "refreshed")
    var first = refreshed(at: 200).retired
    (first.createdAt, first.expiresAt) = (200, 900_200)
    #expect(try await all() == [first, inFamily(newToken(2, at: 200))])
  }
}
