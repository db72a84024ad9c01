import SQL

/// The newest time in the database, of its tables that grow every day.
enum NewestTimeStore {
  /// Unix milliseconds; 0 if there are no rows.
  static let time: Query = """
    SELECT coalesce(max(time), 0) FROM (
      SELECT (SELECT created_at FROM tokens ORDER BY expires_at DESC LIMIT 1) AS time
      UNION ALL SELECT (SELECT created_at FROM users ORDER BY id DESC LIMIT 1)
      UNION ALL SELECT (SELECT created_at FROM photos ORDER BY id DESC LIMIT 1)
      UNION ALL SELECT (SELECT created_at FROM notes ORDER BY id DESC LIMIT 1)
      UNION ALL SELECT (SELECT max(used_at) FROM microblog_sessions)
    ) AS times
    """
}

extension Transaction {
  /// `now`, or the newest time in the database if that is earlier. A clock that is ahead, as some are until a machine has
  /// reached a time server, makes no row so old that it may be deleted.
  func earlier(of now: Int64) throws -> Int64 { min(now, try number(NewestTimeStore.time)) }
}
