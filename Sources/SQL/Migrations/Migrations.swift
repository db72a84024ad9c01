package import Platform

/// The steps that lead from an empty database to the current schema. Migrations+SQLite.swift in SQLite and
/// Migrations+PostgreSQL.swift in PostgreSQL run them.
package struct Migrations: Sendable {
  /// In the order in which they run.
  package let steps: [Migration]

  /// - Parameter steps: in the order in which they run.
  package init(_ steps: [Migration]) {
    self.steps = steps
  }

  /// A step that a database has had.
  package struct Recorded: RowRecord {
    package let name: String
    package let sha256: String

    package init(_ row: borrowing some RowReader & ~Copyable) { (name, sha256) = (row["name"], row["sha256"]) }
  }

  /// The steps that a database has had, as ``Recorded``.
  package static let recorded = Query("SELECT name, sha256 FROM schema_migrations ORDER BY name")

  /// Records that a database has had a step.
  package static func record(of step: Migration, now: Int64) -> Query {
    Query(
      "INSERT INTO schema_migrations (name, sha256, applied_at) VALUES ($1, $2, $3)", .text(step.name),
      .text(step.sha256), .integer(now))
  }

  /// The steps that a database has not had yet.
  ///
  /// - Parameter recorded: the steps that it has had, by name.
  /// - Throws: `ConfigurationError` if one of those was edited since, or is not among these.
  package func pending(after recorded: [Recorded]) throws(ConfigurationError) -> ArraySlice<Migration> {
    for name in recorded.map(\.name) where !steps.contains(where: { $0.name == name }) {
      throw ConfigurationError(
        """
        this database has had the migration \(name).sql, which is not here: it comes from a newer selfie-server. \
        Start that version again or a later one, or restore a backup made before the upgrade.
        """)
    }
    for (step, record) in zip(steps, recorded) {
      guard step.name == record.name else {
        throw ConfigurationError(
          "\(step.fileName) comes before \(record.name).sql, which this database has had: number it after the last one")
      }
      guard step.sha256 == record.sha256 else {
        throw ConfigurationError(
          """
          \(step.fileName) was edited after it ran on this database: restore the file, and put the change into a new \
          migration
          """)
      }
    }
    return steps.dropFirst(recorded.count)
  }
}
