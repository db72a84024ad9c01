import APITestSupport
import SQL
import Testing

@testable import SelfieAPI

/// Reasons for which sessions and posts are refused in the transactions that write them.
@Suite(.eachDatabase) struct MicroblogWritesTests {
  private let fixture: WritesFixture
  private let users: MicroblogUserStore
  private let sessions: MicroblogSessionStore
  private let posts: BlogpostStore
  private let ann: MicroblogUser
  private let session: MicroblogSession

  init() async throws {
    fixture = try await WritesFixture()
    users = MicroblogUserStore(database: fixture.database)
    sessions = MicroblogSessionStore(database: fixture.database, lifetime: 1000)
    posts = BlogpostStore(database: fixture.database)
    var ann = MicroblogUser(name: "ann", passwordHash: "ann's", createdAt: 1)
    ann.id = try await users.insert(ann)
    self.ann = ann
    session = Self.session(1, of: ann)
    #expect(try await sessions.insert(session, of: ann))
  }

  private static func session(_ number: UInt8, of user: MicroblogUser) -> MicroblogSession {
    MicroblogSession(digest: [UInt8](repeating: number, count: 32), userID: user.id, createdAt: 1, usedAt: 1)
  }

  private func post(_ uuid: String) -> Blogpost {
    Blogpost(uuid: uuid, userID: ann.id, text: "text", createdAt: 2)
  }

  @Test func `a name that is taken uses up no id`() async throws {
    try await fixture.expectNoChange { () async throws in
      await #expect(throws: Refusal.accountExists) {
        try await users.insert(MicroblogUser(name: "ann", passwordHash: "", createdAt: 1))
      }
    }
    #expect(try await users.insert(MicroblogUser(name: "Ann", passwordHash: "", createdAt: 1)) == ann.id + 1)
  }

  @Test func `a session needs its user, with the password that was checked`() async throws {
    var former = ann
    former.passwordHash = "another"
    var gone = ann
    gone.id += 1
    try await fixture.expectNoChange { () async throws in
      #expect(try await !sessions.insert(Self.session(2, of: former), of: former))
      #expect(try await !sessions.insert(Self.session(2, of: gone), of: gone))
    }
  }

  @Test func `a post needs the session that it was sent with`() async throws {
    #expect(try await posts.insert(post("first"), ifLives: session.digest))
    try await fixture.expectNoChange { () async throws in
      #expect(try await !posts.insert(post("second"), ifLives: Self.session(2, of: ann).digest))
      var others = post("second")
      others.userID += 1
      let refused = others
      #expect(try await !posts.insert(refused, ifLives: session.digest))
    }
    try await sessions.remove(digest: session.digest)
    try await fixture.expectNoChange { () async throws in
      #expect(try await !posts.insert(post("second"), ifLives: session.digest))
    }
  }

  @Test func `one post too many is refused`() async throws {
    try await fixture.database.run([
      Query(
        """
        WITH RECURSIVE numbers (number) AS (
          SELECT CAST(1 AS bigint) UNION ALL SELECT number + 1 FROM numbers WHERE number < $1)
        INSERT INTO blogposts (uuid, user_id, text, created_at) SELECT CAST(number AS text), $2, '', 1 FROM numbers
        """, .integer(Blogpost.maxPerUser - 1), .integer(ann.id))
    ])
    #expect(try await posts.insert(post("last"), ifLives: session.digest))
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.tooManyPosts) { try await posts.insert(post("more"), ifLives: session.digest) }
    }
  }
}
