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
      throw Self.failure(of: "schema_migrations", error)
    }
    let pending = try pending(on: connection)
    if let first = pending.first, pending.count < steps.count { try beforeUpgrade(first) }
    do {
      try connection.withoutForeignKeys {
        for step in pending { try run(step, on: connection, now: now) }
      }
    } catch let error as ConfigurationError {
      throw error
    } catch {
      throw Self.failure(of: "foreign_keys", error)
    }
    return pending.map(\.name)
  }

  private func run(_ step: Migration, on connection: Connection, now: Int64) throws(ConfigurationError) {
    do {
      try connection.transaction {
        try connection.executeInsideTransaction(step.sql)
        try connection.run(Self.record(of: step, now: now))
      }
    } catch {
      throw Self.failure(of: step.fileName, error)
    }
  }

  private static func failure(of part: String, _ error: any Error) -> ConfigurationError {
    ConfigurationError("\(part): \((error as? SQLiteError)?.inWords ?? "\(error)")")
  }

  /// The steps that the database has not had yet. Changes nothing, and refuses the same databases as ``run(on:now:)``.
  package func pending(on connection: Connection) throws(ConfigurationError) -> ArraySlice<Migration> {
    let recorded: [Recorded]
    do { recorded = try Self.recorded(on: connection) } catch { throw Self.failure(of: "schema_migrations", error) }
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

extension Connection {
  /// Runs `body` without the checks of foreign keys, as SQLite's procedure for changes of a schema has it
  /// (sqlite.org/lang_altertable.html): a row that another program has orphaned must not stop an upgrade. `Upgrade`
  /// names such rows.
  fileprivate func withoutForeignKeys(_ body: () throws -> Void) throws {
    let areOn = try number("PRAGMA foreign_keys") != 0
    if areOn { try execute("PRAGMA foreign_keys = OFF") }
    let result = Result { try body() }
    if areOn { try execute("PRAGMA foreign_keys = ON") }
    try result.get()
  }
}
