import SQL

// Pruning takes no lock of an account. It passes over the rows that another process prunes, or that a sign-in retires:
// to wait for them could end in a deadlock.
extension TokenStore {
  /// Forgets the tokens that expired before `time`, a thousand at most.
  static func sharedRemoval(expiredBefore time: Int64) -> Query {
    Query(
      """
      DELETE FROM tokens WHERE digest = ANY (ARRAY(
        SELECT digest FROM tokens WHERE expires_at <= $1 AND created_at <= $1 LIMIT 1000 FOR UPDATE SKIP LOCKED))
      """, .integer(time))
  }
}

extension RetiredTokenStore {
  /// The same of the retired ones.
  static func sharedRemoval(expiredBefore time: Int64) -> Query {
    Query(
      """
      DELETE FROM retired_tokens WHERE digest = ANY (ARRAY(
        SELECT digest FROM retired_tokens WHERE expires_at <= $1 AND created_at <= $1 LIMIT 1000
        FOR UPDATE SKIP LOCKED))
      """, .integer(time))
  }
}
