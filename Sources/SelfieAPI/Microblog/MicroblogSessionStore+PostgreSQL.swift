import SQL

extension MicroblogSessionStore {
  /// Forgets the sessions that were not used since `time`, a thousand at most, without those that another process works
  /// with at the moment.
  static func sharedRemoval(unusedSince time: Int64) -> Query {
    Query(
      """
      DELETE FROM microblog_sessions WHERE digest = ANY (ARRAY(
        SELECT digest FROM microblog_sessions WHERE used_at <= $1 LIMIT 1000 FOR UPDATE SKIP LOCKED))
      """, .integer(time))
  }
}
