/// The steps that lead from an empty database to the current schema.
public struct Migrations: Sendable {
  /// In the order in which they run.
  public let steps: [Migration]

  /// - Parameter steps: in the order in which they run.
  public init(_ steps: [Migration]) {
    self.steps = steps
  }

  /// The steps that a database has had, each as its name and its digest.
  package static let recorded = Query("SELECT name, sha256 FROM schema_migrations ORDER BY name")

  /// The steps that a database has not had yet.
  ///
  /// - Parameter recorded: the steps that it has had, by name.
  /// - Throws: `MigrationError` if one of those was edited since, or is not among these.
  package func pending(
    after recorded: [(name: String, sha256: String)]
  ) throws(MigrationError) -> ArraySlice<Migration> {
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
    return steps.dropFirst(recorded.count)
  }
}
