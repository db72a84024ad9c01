import HTTPServer
import Platform
import SelfieAPI
import SelfieOperations

/// Where the values of all metrics are found. They are of the main world, where there are several. `MetricsList` has
/// the metrics.
struct MetricsSource: Sendable {
  let backend: Backend
  let server: Server
  let requestCounts: RequestCounts
  let backups: ScheduledBackups?
  let log: LogWriter
  private let probe = StoredTotals.probe()

  /// Read by ``refresh()``, as are the next ones.
  private(set) var requests: [RequestSeries] = []
  /// Nil if they could not be counted.
  private(set) var totals: StoredTotals?
  private(set) var objectStore: ClientStatistics?
  private(set) var process = ProcessStatistics.current()

  var application: Application { backend.application }
  var statistics: ServerStatistics { server.statistics }

  /// Reads what several metrics need, or what takes time.
  mutating func refresh() async {
    requests = requestCounts.series
    totals = await probe.value {
      $0 ?? nil
    } by: { [application] last in
      await (try? StoredTotals.count(of: application)) ?? last ?? nil
    }
    objectStore = backend.cluster?.objects.statistics
    process = .current()
  }

  /// The requests without regard to the status of their responses.
  var routes: [RequestSeries] { RequestSeries.merged(requests.map(\.ofRoute)) }

  /// A pool of threads, and its work.
  struct Pool {
    let name: String
    let statistics: WorkerPool.Statistics
  }

  var pools: [Pool] {
    let own = backend.pools.all.map { Pool(name: $0.name, statistics: $0.statistics) }
    return own + (objectStore.map { [Pool(name: "object-store", statistics: $0.pool)] } ?? [])
  }
}
