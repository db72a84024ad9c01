import SQL

/// The end of a connection's process on the server.
enum Fence {
  /// Tells the process of a connection to end. It has a row as long as there is one: a process leaves this list only
  /// when its transaction has ended.
  static func query(connection: String) -> Query {
    Query(
      """
      SELECT pid, CASE WHEN pg_terminate_backend(pid) THEN 1 ELSE 0 END FROM pg_stat_activity
      WHERE application_name = $1 AND pid <> pg_backend_pid()
      """, .text(connection))
  }
}
