import HTTPServer
import Platform
import SQL
import SQLite
import SelfieAPI
import SelfieOperations

/// The values of all metrics at some moment.
struct MetricsSnapshot: Sendable {
  let version: String
  let requests: [RequestSeries]
  /// The same without regard to the status of the responses.
  let routes: [RequestSeries]
  let server: ServerStatistics
  let memoryUsed: Int
  let memoryLimit: Int
  /// Nil in a cluster, which has the next two.
  let database: Database.Statistics?
  let sharedDatabase: SharedDatabaseStatistics?
  let objectStore: ClientStatistics?
  let pools: [(name: String, statistics: WorkerPool.Statistics)]
  let hashing: HashTimes
  let activity: ActivityCounters
  let refusedGuesses: Int64
  /// Nil if they could not be counted.
  let totals: StoredTotals?
  /// Nil where the server makes none by itself.
  let backup: LastBackup?
  let process: ProcessStatistics
  let droppedLogLines: Int64
}
