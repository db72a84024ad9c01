import APITestSupport
import Testing

@testable import SelfieAPI

/// Rows that are forgotten long after their end.
@Suite(.eachDatabase) struct PruneTests {
  private let fixture: WritesFixture

  init() async throws {
    fixture = try await WritesFixture()
  }

  /// Makes a time the newest in the database.
  private func insertUser(at time: Int64) async throws {
    _ = try await fixture.users.insert(User(email: "\(time)@x", passwordHash: "", createdAt: time))
  }

  private func insertTokens(_ count: Int) async throws {
    let tokens = (0..<count).map { number in
      Token(
        digest: [UInt8(number >> 8), UInt8(number & 255)], userID: fixture.jane.id, expiresAt: 1000, createdAt: 100)
    }
    try await fixture.insert(tokens)
  }

  @Test func `tokens are forgotten as soon as they cannot be told from others, and no millisecond earlier`()
    async throws
  {
    try await insertTokens(2)
    try await fixture.insert([
      Token(digest: [9], userID: fixture.jane.id, expiresAt: 1000, createdAt: 1, state: .retired)
    ])
    let end = 1000 + max(TokenStore.expiredRetention, fixture.tokens.policy.lifetime)
    try await insertUser(at: end)
    #expect(try await fixture.tokens.prune(now: 999 + fixture.tokens.policy.lifetime) == 0)
    #expect(try await fixture.tokens.prune(now: end) == 3)
    #expect(try await fixture.allTokens().isEmpty)
  }

  @Test func `several who forget at the same time forget each token once`() async throws {
    try await insertTokens(1500)
    let (tokens, end) = (fixture.tokens, 1000 + max(TokenStore.expiredRetention, fixture.tokens.policy.lifetime))
    try await insertUser(at: end)
    let forgotten = try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<4 { group.addTask { try await tokens.prune(now: end) } }
      return try await group.reduce(0, +)
    }
    #expect((1000...1500).contains(forgotten))
    #expect(try await tokens.prune(now: end) == 1500 - forgotten)
  }

  @Test func `sessions are forgotten when they have not been used for long`() async throws {
    let sessions = MicroblogSessionStore(database: fixture.database, lifetime: 1000)
    try await fixture.database.write(about: .all) { tx in
      let ann = try tx.insert(MicroblogUser(name: "ann", passwordHash: "", createdAt: 1))
      for time in 10...11 as ClosedRange<Int64> {
        try tx.insert(MicroblogSession(digest: [UInt8(time)], userID: ann, createdAt: 1, usedAt: time))
      }
    }
    try await insertUser(at: 1010)
    #expect(try await sessions.prune(now: 1009) == 0)
    #expect(try await sessions.prune(now: 1010) == 1)
    #expect(try await sessions.prune(now: 1010) == 0)
  }

  @Test func `a clock that is ahead of everything in the database deletes nothing`() async throws {
    let sessions = MicroblogSessionStore(database: fixture.database, lifetime: 1000)
    try await insertTokens(2)
    try await fixture.database.write(about: .all) { tx in
      let ann = try tx.insert(MicroblogUser(name: "ann", passwordHash: "", createdAt: 1))
      try tx.insert(MicroblogSession(digest: [1], userID: ann, createdAt: 1, usedAt: 500))
    }
    for now in [4_000_000_000_000, .max] as [Int64] {
      #expect(try await fixture.tokens.prune(now: now) == 0)
      #expect(try await sessions.prune(now: now) == 0)
    }
  }
}
