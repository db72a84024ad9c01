import Cryptography
package import SQL

/// The queries of the table `microblog_sessions`. MicroblogCookie.swift finds the session of a request.
package struct MicroblogSessionStore: Sendable {
  let database: ApplicationDatabase
  /// The milliseconds after which an unused session ends.
  let lifetime: Int64

  /// Sessions that a user may have at once. Of more, those end that were not used for longest.
  package static let maxPerUser: Int64 = 256

  /// A use is written down only when the last one is this long ago, in milliseconds: an hour, or less where sessions
  /// would end before that.
  var useInterval: Int64 { min(3_600_000, lifetime / 10) }

  /// The session of a cookie; nil if it has ended.
  func find(digest: [UInt8], now: Int64) async throws -> MicroblogSession? {
    let found = try await database.first(Self.session(digest: digest), as: MicroblogSession.self)
    return found.flatMap { $0.usedAt > now &- lifetime ? $0 : nil }
  }

  package static func session(digest: [UInt8]) -> Query {
    Query("SELECT * FROM microblog_sessions WHERE digest = $1", .blob(digest))
  }

  /// Stores a new session of a user, and ends those that are too many then.
  ///
  /// - Returns: false if the user has been deleted.
  func insert(_ session: MicroblogSession, of user: MicroblogUser) async throws -> Bool {
    try await database.write(about: .microblogUser(user.id)) { tx in
      guard try tx.first(MicroblogUserStore.user(name: user.name), as: MicroblogUser.self) == user else { return false }
      try tx.insert(session)
      // The new one is never among the oldest, even if the clock was set back.
      try tx.run(
        Query(
          """
          DELETE FROM microblog_sessions WHERE user_id = $1 AND digest <> $2 AND digest NOT IN (
            SELECT digest FROM microblog_sessions WHERE user_id = $1 AND digest <> $2
            ORDER BY used_at DESC, digest DESC LIMIT $3)
          """, .integer(user.id), .blob(session.digest), .integer(Self.maxPerUser - 1)))
      return true
    }
  }

  /// The next sessions after a digest.
  package static func page(after digest: [UInt8] = [], max: Int64 = 500) -> Query {
    Query("SELECT * FROM microblog_sessions WHERE digest > $1 ORDER BY digest LIMIT $2", .blob(digest), .integer(max))
  }

  /// Notes that a session was used.
  func touch(digest: [UInt8], now: Int64) async throws {
    try await database.write(about: .nobody) { tx in
      try tx.run(Query("UPDATE microblog_sessions SET used_at = $1 WHERE digest = $2", .integer(now), .blob(digest)))
    }
  }

  func remove(digest: [UInt8]) async throws {
    try await database.write(about: .nobody, makesRoom: true) { tx in
      try tx.deleteSession(digest)
    }
  }

  /// Forgets the sessions that had ended without use by `now` and by the newest time in the database, a thousand at most,
  /// so that no other write waits long.
  ///
  /// - Returns: how many they were.
  func prune(now: Int64) async throws -> Int64 {
    try await database.write(about: .nobody, makesRoom: true) { [lifetime] tx in
      try tx.run(
        Query(
          """
          DELETE FROM microblog_sessions WHERE digest IN
            (SELECT digest FROM microblog_sessions WHERE used_at <= $1 LIMIT 1000)
          """, .integer(tx.earlier(of: now) &- lifetime)))
    }
  }

  /// The sessions that no cookie can open, because their digest is none.
  package static let unusable = Query(
    "SELECT * FROM microblog_sessions WHERE length(digest) <> $1", .integer(Int64(SHA256.byteCount)))

  package static let count = Query("SELECT count(*) FROM microblog_sessions")
}

extension MicroblogSession {
  package var insertion: Query {
    Query(
      "INSERT INTO microblog_sessions (digest, user_id, created_at, used_at) VALUES ($1, $2, $3, $4)", .blob(digest),
      .integer(userID), .integer(createdAt), .integer(usedAt))
  }
}

extension Transaction {
  package func insert(_ session: MicroblogSession) throws { try run(session.insertion) }

  package func deleteSession(_ digest: [UInt8]) throws {
    try run(Query("DELETE FROM microblog_sessions WHERE digest = $1", .blob(digest)))
  }
}
