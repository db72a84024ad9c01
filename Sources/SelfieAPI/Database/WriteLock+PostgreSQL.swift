import SQL

// In a file of this process alone, writes come one after the other without locks.
extension Write {
  /// The statements that keep others out, in the order in which all writes take them, so that none waits for another in
  /// a circle.
  var locks: [Query] {
    [lock?.query, isAboutAllStorage ? WriteLock.storage : nil].compactMap(\.self)
  }
}

extension WriteLock {
  /// Unlike FOR UPDATE, these let others insert rows that refer to the user.
  fileprivate var query: Query {
    switch self {
    case .user(let id): Query("SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE", .integer(id))
    case .userOf(let email): Query("SELECT id FROM users WHERE email = $1 FOR NO KEY UPDATE", .text(email))
    case .microblogUser(let id): Query("SELECT id FROM microblog_users WHERE id = $1 FOR NO KEY UPDATE", .integer(id))
    }
  }

  /// The number is of no meaning: it is the same for all versions of this program.
  fileprivate static let storage = Query("SELECT pg_advisory_xact_lock(7345210986154)")
}
