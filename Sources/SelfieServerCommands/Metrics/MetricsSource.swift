import HTTPServer
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// Reads the values of all metrics. They are of the main world, where there are several.
struct MetricsSource: Sendable {
  let application: Application
  private let database: Database
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
    database = backend.database
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
    return MetricsSnapshot(
      version: version, requests: series, routes: RequestSeries.mergingStatuses(of: series), server: server.statistics,
      memoryUsed: memory.usedBytes,
      memoryLimit: memory.limit, database: database.statistics,
      pools: pools.all.map { ($0.name, $0.statistics) }, hashing: application.passwords.times,
      activity: application.activity, refusedGuesses: application.refusedAttempts, totals: await totals.totals(),
      backup: backups?.last, process: .current(), droppedLogLines: log.droppedLines)
  }
}
