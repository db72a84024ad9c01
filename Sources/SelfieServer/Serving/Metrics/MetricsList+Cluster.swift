import Platform
import SQL
import SelfieOperations

// MetricsList.swift has all other metrics.
extension MetricsList {
  /// The metrics of a cluster's database and object store, in place of those of files.
  static let cluster: [Metric<MetricsSource>] = [
    Metric(.gauge, "selfie_database_connections", "Connections to the database server.") {
      // The label is from when connections were made before they were needed.
      $0.backend.cluster.map { [Sample($0.database.statistics.connections, ("state", "ready"))] } ?? []
    },
    Metric(
      .gauge, "selfie_database_requests",
      "Round trips to the database server that are under way, or wait for a connection."
    ) {
      guard let database = $0.backend.cluster?.database.statistics else { return [] }
      return [Sample(database.inFlight, ("state", "in_flight")), Sample(database.waiting, ("state", "waiting"))]
    },
    .counter(
      "selfie_database_failed_connections_total", "Connections to the database server that broke, or were not made."
    ) { $0.backend.cluster?.database.statistics.failedConnections },
    .counter(
      "selfie_database_lost_commits_total", "Writes whose connection was lost before the response to their commit."
    ) { $0.backend.cluster?.database.statistics.lostOutcomes },
    .counter(
      "selfie_database_unknown_commits_total",
      "Those of them for which it was not found out whether they were committed."
    ) { $0.backend.cluster?.database.statistics.unknownOutcomes },
    Metric(
      .histogram, "selfie_object_store_request_duration_seconds",
      "Time of requests to the object store, each with all its attempts."
    ) { source in
      source.objectStore?.requests.map { Sample(seconds: $0.durations, [("http_request_method", $0.method)]) } ?? []
    },
    Metric(
      .counter, "selfie_object_store_failures_total", "Requests to the object store that have failed in the end."
    ) { source in
      source.objectStore?.requests.map { Sample($0.failures, ("http_request_method", $0.method)) } ?? []
    },
    .counter("selfie_object_store_retries_total", "Attempts after the first one of a request to the object store.") {
      $0.objectStore?.retries
    },
  ]
}
