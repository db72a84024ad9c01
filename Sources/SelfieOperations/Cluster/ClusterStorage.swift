package import SQL
package import SelfieAPI

/// The database and the object store that the servers of a cluster share, ready to be used. A `ClusterConnector` opens
/// both.
package struct ClusterStorage: Sendable {
  package let database: any SharedDatabase
  package let objects: any PhotoObjects
  /// The seconds after which nothing of an upload can be under way any more.
  package let sweepAfter: Int
  /// The names of the steps of the schema that were run at this start.
  package var migrations: [String] = []
  /// For the log.
  package var warnings: [String] = []

  package init(database: any SharedDatabase, objects: any PhotoObjects, sweepAfter: Int) {
    self.database = database
    self.objects = objects
    self.sweepAfter = sweepAfter
  }

  /// Closes the connections to both. The event loops must have ended. Blocks until the requests under way have.
  package func close() {
    database.close()
    objects.close()
  }
}
