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
  /// - Returns: false if the user was deleted meanwhile.
  func insert(
    _ session: MicroblogSession, of user: MicroblogUser
  ) async throws -> Bool {
    try await database.write(about: .microblogUser(user.id)) { tx in
      guard try tx.first(MicroblogUserStore.user(name: user.name), as: MicroblogUser.self) == user else { return false }
      try tx.insert(session)
      // The new one is never among the oldest, even if the clock was set back.
      try tx.run(
        Query(
          """
          DELETE FROM microblog_sessions WHERE digest IN (
            SELECT digest FROM microblog_sessions WHERE user_id = $1 AND digest <> $2
            ORDER BY used_at DESC, digest DESC LIMIT 1000000000 OFFSET $3)
          """, .integer(user.id), .blob(session.digest), .integer(Self.maxPerUser - 1)))
      return true
    }
  }

  /// The sessions behind a digest, in order, 500 at most.
  package static func page(after digest: [UInt8]) -> Query {
    Query("SELECT * FROM microblog_sessions WHERE digest > $1 ORDER BY digest LIMIT 500", .blob(digest))
  }

  package static func insertion(of session: MicroblogSession) -> Query {
    Query(
      "INSERT INTO microblog_sessions (digest, user_id, created_at, used_at) VALUES ($1, $2, $3, $4)",
      .blob(session.digest), .integer(session.userID), .integer(session.createdAt), .integer(session.usedAt))
  }

  /// Has a row if a user has the session with this digest.
  static func session(digest: [UInt8], of userID: Int64) -> Query {
    Query("SELECT 1 FROM microblog_sessions WHERE digest = $1 AND user_id = $2", .blob(digest), .integer(userID))
  }

  /// Notes that a session was used.
  func touch(digest: [UInt8], now: Int64) async throws {
    try await database.write(about: .all) { tx in
      try tx.run(Query("UPDATE microblog_sessions SET used_at = $1 WHERE digest = $2", .integer(now), .blob(digest)))
    }
  }

  func remove(digest: [UInt8]) async throws {
    try await database.write(about: .all, makesRoom: true) { tx in
      try tx.run(Query("DELETE FROM microblog_sessions WHERE digest = $1", .blob(digest)))
    }
  }

  /// Forgets the sessions that have ended without use, a thousand at most, so that no other write waits long.
  ///
  /// - Returns: how many they were.
  func prune(now: Int64) async throws -> Int64 {
    let earliest = earliestUse(now)
    let removal =
      database.file == nil
      ? Self.sharedRemoval(unusedSince: earliest)
      : Query(
        """
        DELETE FROM microblog_sessions WHERE digest IN
          (SELECT digest FROM microblog_sessions WHERE used_at <= $1 LIMIT 1000)
        """, .integer(earliest))
    return try await database.write(about: .all, makesRoom: true) { try $0.run(removal) }
  }

  /// How many sessions no cookie can open, because their digest is none.
  package static let countOfUnusable = Query(
    "SELECT count(*) FROM microblog_sessions WHERE length(digest) <> $1", .integer(Int64(SHA256.byteCount)))

  package static let removalOfUnusable = Query(
    "DELETE FROM microblog_sessions WHERE length(digest) <> $1", .integer(Int64(SHA256.byteCount)))

  private func earliestUse(_ now: Int64) -> Int64 {
    let (earliest, overflow) = now.subtractingReportingOverflow(lifetime)
    return overflow ? .min : earliest
  }
}

extension Transaction {
  package func insert(_ session: MicroblogSession) throws { try run(MicroblogSessionStore.insertion(of: session)) }

  /// - Returns: how many there were.
  package func removeAllMicroblogSessions() throws -> Int64 { try run(Query("DELETE FROM microblog_sessions")) }
}
