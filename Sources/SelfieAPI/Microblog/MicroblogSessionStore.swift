import Cryptography
import SQL
import SQLite

/// The table `microblog_sessions`.
package struct MicroblogSessionStore: Sendable {
  let database: ApplicationDatabase
  /// How long a session lives without use, in milliseconds.
  let lifetime: Int64

  /// Sessions that a user may have at once. Of more, those end that were not used for longest.
  package static let maxPerUser: Int64 = 256

  /// A use is written down only when the last one is this long ago, in milliseconds: an hour, or less where sessions
  /// would end before that.
  var useInterval: Int64 { min(3_600_000, lifetime / 10) }

  /// The session of a cookie; nil if it has ended.
  func find(digest: [UInt8], now: Int64) async throws -> MicroblogSession? {
    try await database.first(
      Query(
        "SELECT * FROM microblog_sessions WHERE digest = $1 AND used_at > $2", .blob(digest),
        .integer(earliestUse(now))))
  }

  package static func exists(digest: [UInt8], on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM microblog_sessions WHERE digest = $1", .blob(digest)) { _ in true } ?? false
  }

  /// All sessions, by user and use.
  package static func all(on connection: Connection) throws -> [MicroblogSession] {
    try connection.query("SELECT * FROM microblog_sessions ORDER BY user_id, used_at, digest") { MicroblogSession($0) }
  }

  /// Stores a new session of a user, and ends those that are too many then.
  ///
  /// - Parameter forgetting: forgets the wrong passwords before the right one, in a shared database.
  /// - Returns: false if the user was deleted meanwhile.
  func insert(
    _ session: MicroblogSession, of user: MicroblogUser, forgetting: [Query] = []
  ) async throws -> Bool {
    try await database.run(Self.insertion(of: session, user: user, forgetting: forgetting)).isDone
  }

  static func insertion(of session: MicroblogSession, user: MicroblogUser, forgetting: [Query] = []) -> Write {
    Write(
      lock: .microblogUser(user.id),
      decisive: Query(
        """
        INSERT INTO microblog_sessions (digest, user_id, created_at, used_at)
        SELECT $1, id, $2, $3 FROM microblog_users WHERE id = $4 AND password_hash = $5
        RETURNING user_id
        """,
        .blob(session.digest), .integer(session.createdAt), .integer(session.usedAt), .integer(user.id),
        .text(user.passwordHash)),
      then: [
        Query(
          """
          DELETE FROM microblog_sessions
          WHERE EXISTS (SELECT 1 FROM microblog_sessions AS new WHERE new.digest = $1)
            AND digest IN (
              SELECT digest FROM microblog_sessions WHERE user_id = $2 AND digest <> $1
              ORDER BY used_at DESC, digest DESC LIMIT 1000000000 OFFSET $3)
          """,
          // The new one is never among the oldest, though the clock may have gone back.
          .blob(session.digest), .integer(user.id), .integer(maxPerUser - 1))
      ] + forgetting,
      evidence: Query("SELECT user_id FROM microblog_sessions WHERE digest = $1", .blob(session.digest)))
  }

  /// The sessions behind a digest, in order, 500 at most.
  package static func page(after digest: [UInt8]) -> Query {
    Query("SELECT * FROM microblog_sessions WHERE digest > $1 ORDER BY digest LIMIT 500", .blob(digest))
  }

  package static func insert(_ session: MicroblogSession, on connection: Connection) throws {
    try connection.run(insertion(of: session))
  }

  package static func insertion(of session: MicroblogSession) -> Query {
    Query(
      "INSERT INTO microblog_sessions (digest, user_id, created_at, used_at) VALUES ($1, $2, $3, $4)",
      .blob(session.digest), .integer(session.userID), .integer(session.createdAt), .integer(session.usedAt))
  }

  /// Notes that a session was used.
  func touch(digest: [UInt8], now: Int64) async throws {
    try await database.run(
      Write(
        lock: nil,
        [Query("UPDATE microblog_sessions SET used_at = $1 WHERE digest = $2", .integer(now), .blob(digest))]))
  }

  func remove(digest: [UInt8]) async throws {
    try await database.run(
      Write(
        lock: nil, makesRoom: true, [Query("DELETE FROM microblog_sessions WHERE digest = $1", .blob(digest))]))
  }

  /// Forgets the sessions that have ended without use, a thousand at most, so that no other write waits long.
  ///
  /// - Returns: how many they were.
  func prune(now: Int64) async throws -> Int64 {
    let written = try await database.run(
      Write(
        lock: nil, makesRoom: true,
        [
          Query(
            """
            DELETE FROM microblog_sessions WHERE digest IN
              (SELECT digest FROM microblog_sessions WHERE used_at <= $1 LIMIT 1000)
            """, .integer(earliestUse(now)))
        ],
        sharedThen: [Self.sharedRemoval(unusedSince: earliestUse(now))]))
    return written.others.first?.changes ?? 0
  }

  /// How many sessions no cookie can open, because their digest is none.
  package static let countOfUnusable = Query(
    "SELECT count(*) FROM microblog_sessions WHERE length(digest) <> $1", .integer(Int64(SHA256.byteCount)))

  package static let removalOfUnusable = Query(
    "DELETE FROM microblog_sessions WHERE length(digest) <> $1", .integer(Int64(SHA256.byteCount)))

  /// - Returns: how many there were.
  package static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM microblog_sessions")
    return connection.changes
  }

  private func earliestUse(_ now: Int64) -> Int64 {
    let (earliest, overflow) = now.subtractingReportingOverflow(lifetime)
    return overflow ? .min : earliest
  }
}
