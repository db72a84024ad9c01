import HTTPServer
import Logging
import SQL
import SelfieAPI

/// What the servers of a cluster share: the database and the object store, ready to be used.
package struct ClusterStorage: Sendable {
  package let database: any SharedDatabase
  package let objects: PhotoObjects
  /// The seconds after which nothing of an upload can be under way any more.
  package let sweepAfter: Int
  /// Makes what an event loop runs for its connections to the database. Called on the loop's thread.
  let makeService: @Sendable () throws -> LoopService
  let objectStatistics: @Sendable () -> ObjectStoreMetrics
  /// The names of the steps of the schema that were run at this start.
  private let migrations: [String]
  /// What an owner should know who looks at the log.
  private let warnings: [String]
  private let end: @Sendable () -> Void

  package init(
    database: any SharedDatabase, objects: PhotoObjects, sweepAfter: Int, migrations: [String], warnings: [String],
    makeService: @escaping @Sendable () throws -> LoopService,
    objectStatistics: @escaping @Sendable () -> ObjectStoreMetrics, end: @escaping @Sendable () -> Void
  ) {
    self.database = database
    self.objects = objects
    self.sweepAfter = sweepAfter
    self.migrations = migrations
    self.warnings = warnings
    self.makeService = makeService
    self.objectStatistics = objectStatistics
    self.end = end
  }

  func log(to logger: Logger) {
    if !migrations.isEmpty {
      logger.notice(
        "the database was brought up to date", metadata: ["migrations": "\(migrations.joined(separator: " "))"])
    }
    for warning in warnings { logger.warning("\(warning)") }
  }

  /// Closes the connections to both. The event loops must have ended. Blocks until the requests under way have.
  package func close() {
    database.close()
    end()
  }
}
