import SQL

/// The steps that lead from an empty database to the current schema.
public struct Migrations: Sendable {
  /// In the order in which they run.
  public let steps: [Migration]

  /// - Parameter steps: in the order in which they run.
  public init(_ steps: [Migration]) {
    self.steps = steps
  }

  /// Runs the steps that the database has not had yet, each in a transaction together with its record, and returns
  /// their names. Blocks. `now` is in Unix milliseconds. Several processes may do this at once: one of them runs each
  /// step.
  ///
  /// Refuses a database that has had a step whose file was edited since, or a step that is not among these. A step that
  /// fails leaves the database as the step before left it.
  public func run(on url: DatabaseURL, now: Int64) throws -> [String] {
    let connection = try BlockingConnection(url)
    var applied: [String] = []
    while let step = try runNext(on: connection, now: now) { applied.append(step.name) }
    return applied
  }

  /// Runs one step, and returns it; nil if there is none left.
  private func runNext(on connection: BlockingConnection, now: Int64) throws -> Migration? {
    try connection.transaction {
      try lock(connection)
      guard let step = try pending(on: connection).first else { return nil }
      do {
        try connection.execute(step.sql)
        guard connection.isInTransaction else {
          throw MigrationError("\(step.name).sql ends the transaction in which it runs: it must not")
        }
        try connection.query(
          "INSERT INTO schema_migrations (name, sha256, applied_at) VALUES ($1, $2, $3)",
          [.text(step.name), .text(step.sha256), .integer(now)])
      } catch let error as SharedDatabaseError {
        throw MigrationError("\(step.name).sql: \(error)")
      }
      return step
    }
  }

  /// Takes a lock that the transaction keeps to its end. One of the session would outlive it behind a PgBouncer.
  private func lock(_ connection: BlockingConnection) throws {
    // Another process may take long for its step.
    try connection.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
    // The number is of no meaning: it is the same for all versions of this program.
    try connection.execute("SELECT pg_advisory_xact_lock(7345210986153)")
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        name text COLLATE "C" PRIMARY KEY, sha256 text NOT NULL, applied_at bigint NOT NULL)
      """)
  }

  private func pending(on connection: BlockingConnection) throws -> ArraySlice<Migration> {
    let rows = try connection.query("SELECT name, sha256 FROM schema_migrations ORDER BY name", [])
    let recorded = rows.map { (name: $0.text(0) ?? "", sha256: $0.text(1) ?? "") }
    for (name, _) in recorded where !steps.contains(where: { $0.name == name }) {
      throw MigrationError(
        """
        this database has had the migration \(name).sql, which is not here: it comes from a newer selfie-server. \
        Start that version or a later one
        """)
    }
    for (step, record) in zip(steps, recorded) {
      guard step.name == record.name else {
        throw MigrationError(
          "\(step.name).sql comes before \(record.name).sql, which this database has had: number it after the last one")
      }
      guard step.sha256 == record.sha256 else {
        throw MigrationError(
          """
          \(step.name).sql was edited after it ran on this database: restore the file, and put the change into a new \
          migration
          """)
      }
    }
    return steps.dropFirst(recorded.count)
  }
}
