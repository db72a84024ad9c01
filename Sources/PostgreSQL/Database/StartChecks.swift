import Platform
import SQL

// Checks a cluster's database before a server listens. Migrations+PostgreSQL.swift runs the steps of the schema.
extension Migrations {
  /// The first version of PostgreSQL with all that the statements need, as PQserverVersion tells it: 14.
  private static let minServerVersion: Int32 = 140_000

  /// Checks what must hold of a database before a server listens, and brings the schema up to date, which no database
  /// does that only reads. Blocks.
  ///
  /// - Parameters:
  ///   - connections: how many the process is going to take.
  ///   - now: Unix milliseconds.
  /// - Throws: `ConfigurationError` or `SharedDatabaseError`: the server must not start.
  package func start(on url: DatabaseURL, connections: Int, now: Int64) throws -> StartResult {
    let connection = try BlockingConnection(url)
    guard connection.serverVersion >= Self.minServerVersion else {
      throw DatabaseURL.problem("PostgreSQL 14 or newer is needed")
    }
    let row = try connection.rows(
      """
      SELECT current_setting('server_encoding') AS encoding, CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS standby,
        current_setting('default_transaction_isolation') AS isolation, current_setting('fsync') AS fsync,
        current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
          AS available,
        (SELECT CAST(sum(numbackends) AS bigint) FROM pg_stat_database) - 1 AS taken
      """
    ).first
    guard let row, row["encoding"] == "UTF8" else {
      throw DatabaseURL.problem("the encoding must be UTF8: make the database by createdb -E UTF8 -T template0")
    }
    guard row["standby"] == 0 as Int64 else {
      throw DatabaseURL.problem("this is a standby: name the server that writes")
    }
    // A PgBouncer may not pass on what DatabaseURL asks for.
    guard row["isolation"] == "read committed" else {
      throw DatabaseURL.problem("default_transaction_isolation must be read committed, for this user and this database")
    }
    var warnings: [String] = []
    for name in ["fsync", "synchronous_commit"] as [StaticString] where row[name] == "off" {
      warnings.append("the database has \(name) = off: a crash of its machine may lose what clients know to be stored")
    }
    let (available, taken): (Int64, Int64) = (row["available"], row["taken"])
    if taken + Int64(connections) > available {
      warnings.append(
        """
        the database takes \(available) connections, others have \(taken), and this process takes \(connections): raise \
        max_connections
        """)
    }
    return StartResult(applied: try run(on: url, now: now), warnings: warnings)
  }
}

/// The result of checks that nothing has failed.
package struct StartResult: Sendable {
  /// The names of the steps of the schema that were run.
  package let applied: [String]
  /// For the log.
  package let warnings: [String]
}

extension SharedDatabaseError {
  /// Whether a server that starts should wait: not after a wrong password, user, database or certificate.
  package var mayPass: Bool {
    switch sqlState {
    case nil: kind == .away && !["certificate", "no password supplied"].contains { message.contains($0) }
    case "3D000"?: false
    case let code?: [.away, .conflict, .timeout].contains(kind) && !code.hasPrefix("28")
    }
  }
}
