/// The steps that lead from an empty database to the current schema.
public struct Migrations: Sendable {
  /// In the order in which they run.
  public let steps: [Migration]

  /// - Parameter steps: in the order in which they run.
  public init(_ steps: [Migration]) {
    self.steps = steps
  }

  /// Runs the steps that the database has not had yet, each in a transaction together with its record, and returns
  /// their names. `now` is in Unix milliseconds. Refuses a database that has had a step whose file was edited since, or
  /// a step that is not among these. A step that fails leaves the database as the step before left it.
  ///
  /// `beforeUpgrade` is called once before the first step if the database has had other steps. If it throws, no step is
  /// run.
  public func run(
    on connection: Connection, now: Int64, beforeUpgrade: (Migration) throws(MigrationError) -> Void = { _ in }
  ) throws(MigrationError) -> [String] {
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
      throw MigrationError("schema_migrations: \(error)")
    }
    var applied: [String] = []
    let pending = try pending(on: connection)
    if let first = pending.first, pending.count < steps.count { try beforeUpgrade(first) }
    for step in pending {
      do {
        try connection.transaction {
          try connection.executeInsideTransaction(step.sql)
          try connection.run(
            "INSERT INTO schema_migrations (name, sha256, applied_at) VALUES (?, ?, ?)",
            .text(step.name), .text(step.sha256), .integer(now))
        }
      } catch {
        throw MigrationError("\(step.fileName): \(error)")
      }
      applied.append(step.name)
    }
    return applied
  }

  /// The steps that the database has not had yet. Changes nothing, and refuses the same databases as ``run(on:now:)``.
  public func pending(on connection: Connection) throws(MigrationError) -> ArraySlice<Migration> {
    let recorded: [(name: String, sha256: String)]
    do {
      let isNew = try connection.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'") { _ in }.isEmpty
      if isNew { return steps[...] }
      recorded = try connection.query("SELECT name, sha256 FROM schema_migrations ORDER BY name") { row in
        (row.text(0) ?? "", row.text(1) ?? "")
      }
    } catch {
      throw MigrationError("schema_migrations: \(error)")
    }
    try check(recorded)
    return steps.dropFirst(recorded.count)
  }

  /// The name of the last step that the database has had; nil if it has had none.
  public static func last(on connection: Connection) throws -> String? {
    let sql: StaticString = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
    guard try connection.first(sql, row: { _ in true }) != nil else { return nil }
    return try connection.first("SELECT max(name) FROM schema_migrations") { $0.text(0) } ?? nil
  }

  private func check(_ recorded: [(name: String, sha256: String)]) throws(MigrationError) {
    for (name, _) in recorded where !steps.contains(where: { $0.name == name }) {
      throw MigrationError(
        """
        this database has had the migration \(name).sql, which is not here: it comes from a newer selfie-server. \
        Start that version again or a later one, or restore a backup made before the upgrade.
        """)
    }
    for (step, record) in zip(steps, recorded) {
      guard step.name == record.name else {
        throw MigrationError(
          "\(step.fileName) comes before \(record.name).sql, which this database has had: number it after the last one")
      }
      guard step.sha256 == record.sha256 else {
        throw MigrationError(
          """
          \(step.fileName) was edited after it ran on this database: restore the file, and put the change into a new \
          migration
          """)
      }
    }
  }
}
