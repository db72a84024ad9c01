import SQL

// The locks of a write to a shared database. In a file of this process alone, `Writer` in SQLite runs one write after
// the other, without locks.
extension WriteSubject {
  /// The statements that lock a shared database, in the order in which all writes lock, so that no two writes wait for each
  /// other. Unlike FOR UPDATE, FOR NO KEY UPDATE lets others insert rows that refer to the user.
  var locks: [Query] {
    switch self {
    case .user(let id): [Self.user(id)]
    // The number has no meaning. It is the same in all versions of this program.
    case .userAndStorage(let id): [Self.user(id), Query("SELECT pg_advisory_xact_lock(7345210986154)")]
    case .microblogUser(let id): [Query("SELECT 1 FROM microblog_users WHERE id = $1 FOR NO KEY UPDATE", .integer(id))]
    case .nobody, .all: []
    }
  }

  private static func user(_ id: Int64) -> Query {
    Query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", .integer(id))
  }
}
