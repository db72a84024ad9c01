import HTTPServer
import Platform
import SelfieAPI
import SelfieOperations

/// Reads the values of all metrics. They are of the main world, where there are several.
struct MetricsSource: Sendable {
  let application: Application
  private let cluster: ClusterStorage?
  let pools: WorkerPools
  let memory: MemoryBudget
  let server: Server
  let requests: RequestCounts
  let backups: ScheduledBackups?
  let log: LogWriter
  /// Anyone who reaches the metrics may ask for them again and again, and counting a million photos takes a tenth of a
  /// second: the totals are counted so seldom that it takes no more than a hundredth of a processor's time. After two
  /// seconds the disk hangs, and the last totals are used.
  private let totals = SharedProbe<StoredTotals?>(patience: 2000) { $0 * 100 }

  init(
    _ backend: Backend, memory: MemoryBudget, server: Server, requests: RequestCounts, backups: ScheduledBackups?,
    log: LogWriter
  ) {
    application = backend.application
    cluster = backend.cluster
    pools = backend.pools
    self.memory = memory
    self.server = server
    self.requests = requests
    self.backups = backups
    self.log = log
  }

  func snapshot() async -> MetricsSnapshot {
    let series = requests.series
    let totals = await storedTotals()
    let objectStore = cluster?.objects.statistics
    var allPools = pools.all.map { (name: $0.name, statistics: $0.statistics) }
    if let objectStore { allPools.append((name: "object-store", statistics: objectStore.pool)) }
    return MetricsSnapshot(
      version: version, requests: series, routes: RequestSeries.mergingStatuses(of: series), server: server.statistics,
      memoryUsed: memory.usedBytes,
      memoryLimit: memory.limit, database: application.database.file?.statistics,
      sharedDatabase: cluster?.database.statistics, objectStore: objectStore,
      pools: allPools, hashing: application.passwords.times,
      activity: application.activity, refusedGuesses: application.refusedAttempts, totals: totals,
      backup: backups?.last, process: .current(), droppedLogLines: log.droppedLines)
  }

  private func storedTotals() async -> StoredTotals? {
    await totals.value {
      $0 ?? nil
    } by: { [application] last in
      await (try? StoredTotals.count(of: application)) ?? last ?? nil
    }
  }
}
