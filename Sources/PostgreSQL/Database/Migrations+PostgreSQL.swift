import Platform
import SQL

// Runs migrations. StartChecks.swift checks the database first.
extension Migrations {
  /// Runs the steps that the database has not had yet, each in a transaction together with its record, and returns
  /// their names. Blocks. `now` is in Unix milliseconds. Several processes may do this at once: one of them runs each
  /// step.
  ///
  /// Refuses a database that has had a step whose file was edited since, or a step that is not among these. A step that
  /// fails leaves the database as the step before left it.
  package func run(on url: DatabaseURL, now: Int64) throws -> [String] {
    let connection = try BlockingConnection(url)
    var applied: [String] = []
    while let step = try runNext(on: connection, now: now) { applied.append(step.name) }
    return applied
  }

  /// Runs one step, and returns it; nil if there is none left.
  private func runNext(on connection: BlockingConnection, now: Int64) throws -> Migration? {
    try connection.transaction {
      try lock(connection)
      guard let step = try pending(after: connection.rows(Self.recorded).map { Recorded($0) }).first else { return nil }
      do {
        try connection.execute(step.sql)
        guard connection.isInTransaction else {
          throw ConfigurationError("\(step.fileName) ends the transaction in which it runs: it must not")
        }
        try connection.run(Self.record(of: step, now: now))
      } catch let error as SharedDatabaseError where !error.mayPass {
        throw ConfigurationError("\(step.fileName): \(error)")
      }
      return step
    }
  }

  /// Takes a lock that the transaction keeps to its end. A lock of the session would outlive it behind a PgBouncer.
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
}
