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
  private let totals: RecentTotals

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
    totals = RecentTotals(of: backend.application)
  }

  func snapshot() async -> MetricsSnapshot {
    let series = requests.series
    let objectStore = cluster?.objects.statistics
    var allPools = pools.all.map { (name: $0.name, statistics: $0.statistics) }
    if let objectStore { allPools.append((name: "object-store", statistics: objectStore.pool)) }
    return MetricsSnapshot(
      version: version, requests: series, routes: RequestSeries.mergingStatuses(of: series), server: server.statistics,
      memoryUsed: memory.usedBytes,
      memoryLimit: memory.limit, database: application.database.file?.statistics,
      sharedDatabase: cluster?.database.statistics, objectStore: objectStore,
      pools: allPools, hashing: application.passwords.times,
      activity: application.activity, refusedGuesses: application.refusedAttempts, totals: await totals.totals(),
      backup: backups?.last, process: .current(), droppedLogLines: log.droppedLines)
  }
}
