package import Platform
package import SQL

// Runs migrations on a file. Upgrade.swift copies the database first.
extension Migrations {
  /// Runs the steps that the database has not had yet, each in a transaction together with its record, and returns
  /// their names. `now` is in Unix milliseconds. Refuses a database that has had a step whose file was edited since, or
  /// a step that is not among these. A step that fails leaves the database as the step before left it.
  ///
  /// `beforeUpgrade` is called once before the first step if the database has had other steps. If it throws, no step is
  /// run.
  package func run(
    on connection: Connection, now: Int64, beforeUpgrade: (Migration) throws(ConfigurationError) -> Void = { _ in }
  ) throws(ConfigurationError) -> [String] {
    do {
      try connection.run(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
          name TEXT PRIMARY KEY,
          sha256 TEXT NOT NULL,
          applied_at INTEGER NOT NULL
        )
        """)
    } catch {
      throw ConfigurationError("schema_migrations: \(error)")
    }
    let pending = try pending(on: connection)
    if let first = pending.first, pending.count < steps.count { try beforeUpgrade(first) }
    for step in pending {
      do {
        try connection.transaction {
          try connection.executeInsideTransaction(step.sql)
          try connection.run(Self.record(of: step, now: now))
        }
      } catch {
        throw ConfigurationError("\(step.fileName): \(error)")
      }
    }
    return pending.map(\.name)
  }

  /// The steps that the database has not had yet. Changes nothing, and refuses the same databases as ``run(on:now:)``.
  package func pending(on connection: Connection) throws(ConfigurationError) -> ArraySlice<Migration> {
    let recorded: [Recorded]
    do { recorded = try Self.recorded(on: connection) } catch {
      throw ConfigurationError("schema_migrations: \(error)")
    }
    return try pending(after: recorded)
  }

  /// The name of the last step that the database has had; nil if it has had none.
  package static func last(on connection: Connection) throws -> String? {
    try recorded(on: connection).last?.name
  }

  private static func recorded(on connection: Connection) throws -> [Recorded] {
    guard try connection.exists("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'") else { return [] }
    return try connection.query(Self.recorded) { Recorded($0) }
  }
}
