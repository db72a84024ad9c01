import HTTPServer
import Platform
import SelfieAPI
import SelfieOperations

/// Where the values of all metrics are found. They are of the main world, where there are several.
struct MetricsSource: Sendable {
  let application: Application
  let cluster: ClusterStorage?
  let memory: MemoryBudget
  let server: Server
  let backups: ScheduledBackups?
  let log: LogWriter
  private let workers: WorkerPools
  private let requestCounts: RequestCounts
  /// Anyone who reaches the metrics may ask for them again and again, and counting a million photos takes a tenth of a
  /// second: the totals are counted so seldom that it takes no more than a hundredth of a processor's time. After two
  /// seconds the disk hangs, and the last totals are used.
  private let probe = SharedProbe<StoredTotals?>(patience: 2000) { $0 * 100 }

  /// What ``refresh()`` has read.
  private(set) var requests: [(labels: RequestLabels, series: RequestSeries)] = []
  /// Nil if they could not be counted.
  private(set) var totals: StoredTotals?
  private(set) var objectStore: ClientStatistics?
  private(set) var statistics: ServerStatistics
  private(set) var process = ProcessStatistics.current()

  init(
    _ backend: Backend, memory: MemoryBudget, server: Server, requests: RequestCounts, backups: ScheduledBackups?,
    log: LogWriter
  ) {
    (application, cluster, workers) = (backend.application, backend.cluster, backend.pools)
    (self.memory, self.server, requestCounts, self.backups, self.log) = (memory, server, requests, backups, log)
    statistics = server.statistics
  }

  /// Reads what several metrics need, or what takes time.
  mutating func refresh() async {
    requests = requestCounts.series.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    totals = await storedTotals()
    objectStore = cluster?.objects.statistics
    statistics = server.statistics
    process = .current()
  }

  /// The requests without regard to the status of their responses.
  var routes: [(labels: RequestLabels, series: RequestSeries)] {
    requests.reduce(into: []) { merged, request in
      var labels = request.labels
      labels.status = nil
      if merged.last?.labels == labels {
        merged[merged.count - 1].series.add(request.series)
      } else {
        merged.append((labels, request.series))
      }
    }
  }

  var pools: [(name: String, statistics: WorkerPool.Statistics)] {
    workers.all.map { ($0.name, $0.statistics) } + (objectStore.map { [("object-store", $0.pool)] } ?? [])
  }

  private func storedTotals() async -> StoredTotals? {
    await probe.value {
      $0 ?? nil
    } by: { [application] last in
      await (try? StoredTotals.count(of: application)) ?? last ?? nil
    }
  }
}
