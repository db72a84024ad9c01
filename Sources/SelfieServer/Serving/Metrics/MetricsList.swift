import HTTPServer
import Platform
import SQL
import SQLite
import SelfieAPI
import SelfieOperations

/// All metrics: their names, what they say, and where their values are found. `Metric` has the format of the text, and
/// `MetricsSource` gives access to the values.
///
/// A metric of OpenTelemetry's semantic conventions has its name there, as Prometheus writes it. Names of metrics that
/// Prometheus' own clients have of a process begin with `process_`, all others with `selfie_`.
enum MetricsList {
  static let all: [Metric<MetricsSource>] =
    requests + connections + activity + storage + cluster + pools + backups + process

  private static let requests: [Metric<MetricsSource>] = [
    Metric(
      .histogram, "http_server_request_duration_seconds",
      "Time from the end of a request's head to the last byte of its response."
    ) { $0.requests.map { Sample(seconds: $0.durations, $0.labels.all) } },
    Metric(
      .histogram, "http_server_request_size_bytes", "Bytes of requests, with their heads, as far as they were read."
    ) { $0.routes.map { Sample($0.received, $0.labels.all) } },
    Metric(.histogram, "http_server_response_size_bytes", "Bytes of responses, with their heads.") {
      $0.routes.map { Sample($0.sent, $0.labels.all) }
    },
    .gauge("http_server_active_requests", "Requests whose responses are not sent yet.", \.statistics.activeRequests),
  ]

  private static let connections: [Metric<MetricsSource>] = [
    Metric(.gauge, "selfie_connections", "Open connections, by what they are doing.") { source in
      ConnectionState.allCases.map { Sample(source.statistics[$0], MetricLabel("state", label($0))) }
    },
    .counter("selfie_connections_accepted_total", "Connections accepted.", \.statistics[.accepted]),
    .counter("selfie_connections_refused_total", "Connections for which there was no room.", \.statistics[.refused]),
    .counter("selfie_received_bytes_total", "Bytes received, without those of TLS.", \.statistics[.receivedBytes]),
    .counter("selfie_sent_bytes_total", "Bytes sent, without those of TLS.", \.statistics[.sentBytes]),
    Metric(.counter, "selfie_tls_handshakes_total", "TLS handshakes, by outcome and version.") { source in
      let server = source.statistics
      return [
        Sample(server[.fullHandshakes12], MetricLabel("outcome", "full"), MetricLabel("version", "1.2")),
        Sample(server[.fullHandshakes13], MetricLabel("outcome", "full"), MetricLabel("version", "1.3")),
        Sample(server[.resumedHandshakes12], MetricLabel("outcome", "resumed"), MetricLabel("version", "1.2")),
        Sample(server[.resumedHandshakes13], MetricLabel("outcome", "resumed"), MetricLabel("version", "1.3")),
        Sample(server[.failedHandshakes], MetricLabel("outcome", "failed"), MetricLabel("version", "unknown")),
      ]
    },
    .gauge("selfie_memory_used_bytes", "Memory that clients make the server hold.", \.application.memory.usedBytes),
    .gauge(
      "selfie_memory_uncounted_bytes", "Of that memory, what was noticed only afterwards.",
      \.application.memory.uncountedBytes),
    .gauge(
      "selfie_memory_limit_bytes", "MEMORY_LIMIT: the most memory that clients may make the server hold.",
      \.application.memory.limit),
  ]

  private static let activity: [Metric<MetricsSource>] = [
    Metric(.counter, "selfie_sign_ins_total", "Attempts to get a token or a session, by outcome.") {
      outcomes(
        of: .signIn, in: $0, [.succeeded, .wrongPassword, .unknownAccount, .tooManyAttempts, .refused, .failed])
    },
    Metric(.counter, "selfie_sign_ups_total", "Attempts to make an account, by outcome.") {
      outcomes(of: .signUp, in: $0, [.succeeded, .tooManyAttempts, .refused, .failed])
    },
    .counter(
      "selfie_refused_guesses_total",
      "Wrong passwords, unknown accounts, and attempts beyond the limit, also at the API's own password.",
      \.application.limits.refusedCount),
    Metric(.counter, "selfie_uploads_total", "Uploads of photos, by outcome.") {
      outcomes(of: .upload, in: $0, [.succeeded, .refused, .failed])
    },
    .counter(
      "selfie_uploaded_bytes_total", "Bytes of the photos that were stored.", \.application.activity.uploadedBytes),
    Metric(.histogram, "selfie_password_hash_duration_seconds", "Time to hash or check a password.") {
      [Sample(seconds: $0.application.passwords.hashes.reading)]
    },
    Metric(.histogram, "selfie_password_hash_wait_seconds", "Time that passwords waited for their turn to be hashed.") {
      [Sample(seconds: $0.application.passwords.waits.reading)]
    },
  ]

  private static let storage: [Metric<MetricsSource>] = [
    .gauge("selfie_users", "Accounts of the Selfie app.", \.totals?.users),
    .gauge("selfie_disabled_users", "Accounts of the Selfie app that the owner has disabled.", \.totals?.disabledUsers),
    .gauge("selfie_photos", "Photos stored.", \.totals?.photos),
    .gauge("selfie_photo_bytes", "Bytes of the photos stored.", \.totals?.photoBytes),
    .gauge("selfie_storage_free_bytes", "What is free on the disk of the storage.", \.totals?.freeBytes),
    Metric(
      .histogram, "selfie_commit_duration_seconds",
      "Time to commit a transaction, most of which is the sync. Writes share commits."
    ) { $0.backend.file.map { [Sample(seconds: $0.commits)] } ?? [] },
    .gauge("selfie_waiting_writes", "Writes that wait for the next transaction.", \.backend.file?.waitingWrites),
    Metric(
      .histogram, "selfie_checkpoint_duration_seconds",
      "Time of checkpoints, which copy the log into the database's file."
    ) { $0.backend.file.map { [Sample(seconds: $0.checkpoints)] } ?? [] },
    .counter("selfie_failed_checkpoints_total", "Checkpoints that have failed.", \.backend.file?.failedCheckpoints),
    .gauge("selfie_database_bytes", "Size of the database's file.", \.totals?.databaseBytes),
    .gauge("selfie_database_log_bytes", "Size of the database's write-ahead log.", \.totals?.logBytes),
  ]

  /// The metrics of a cluster's database and object store, in place of those of files.
  private static let cluster: [Metric<MetricsSource>] = [
    Metric(.gauge, "selfie_database_connections", "Connections to the database server.") {
      // The label is from when connections were made before they were needed.
      $0.backend.cluster.map { [Sample($0.database.statistics.connections, MetricLabel("state", "ready"))] } ?? []
    },
    Metric(
      .gauge, "selfie_database_requests",
      "Round trips to the database server that are under way, or wait for a connection."
    ) {
      guard let database = $0.backend.cluster?.database.statistics else { return [] }
      return [
        Sample(database.inFlight, MetricLabel("state", "in_flight")),
        Sample(database.waiting, MetricLabel("state", "waiting")),
      ]
    },
    .counter(
      "selfie_database_failed_connections_total", "Connections to the database server that broke or could not be made.",
      \.backend.cluster?.database.statistics.failedConnections),
    .counter(
      "selfie_database_lost_commits_total", "Writes whose connection was lost before the response to their commit.",
      \.backend.cluster?.database.statistics.lostOutcomes),
    .counter(
      "selfie_database_unknown_commits_total",
      "Lost commits whose outcome could not be found out.",
      \.backend.cluster?.database.statistics.unknownOutcomes),
    Metric(
      .histogram, "selfie_object_store_request_duration_seconds",
      "Time of requests to the object store, each with all its attempts."
    ) { source in
      let requests = source.objectStore?.requests ?? []
      return requests.map { Sample(seconds: $0.durations, [MetricLabel("http_request_method", $0.method)]) }
    },
    Metric(
      .counter, "selfie_object_store_failures_total", "Requests to the object store that have failed in the end."
    ) { source in
      source.objectStore?.requests.map { Sample($0.failures, MetricLabel("http_request_method", $0.method)) } ?? []
    },
    .counter(
      "selfie_object_store_retries_total", "Attempts after the first one of a request to the object store.",
      \.objectStore?.retries),
  ]

  private static let pools: [Metric<MetricsSource>] = [
    Metric(.gauge, "selfie_pool_waiting_jobs", "Jobs that wait for a thread, by worker pool.") { source in
      source.pools.map { Sample($0.statistics.waiting, MetricLabel("pool", $0.name)) }
    },
    Metric(.gauge, "selfie_pool_busy_threads", "Threads at work, by worker pool.") { source in
      source.pools.map { Sample($0.statistics.busy, MetricLabel("pool", $0.name)) }
    },
    Metric(.counter, "selfie_pool_refused_jobs_total", "Jobs that were refused because too many waited.") { source in
      source.pools.map { Sample($0.statistics.refused, MetricLabel("pool", $0.name)) }
    },
  ]

  private static let backups: [Metric<MetricsSource>] = [
    .gauge(
      "selfie_backup_timestamp_seconds",
      "When the newest backup was made. Its age is time() less this. Absent without BACKUP_DIR."
    ) { $0.backups?.last.time.map { Double($0) / 1000 } },
    .gauge("selfie_backup_bytes", "Size of the newest backup.", \.backups?.last.byteCount),
    .gauge("selfie_backup_failed", "1 if the last attempt at a backup has failed or lacks something, else 0.") {
      ($0.backups?.last).map { $0.error == nil ? 0 : 1 }
    },
  ]

  private static let process: [Metric<MetricsSource>] = [
    Metric(.gauge, "selfie_build_info", "The server's version; the value is always 1.") {
      _ in [Sample(1, MetricLabel("version", Application.version))]
    },
    .counter("process_cpu_seconds_total", "Time of processors that the process has used.") {
      $0.process.cpuNanoseconds.map { Double($0) / 1_000_000_000 }
    },
    .gauge("process_resident_memory_bytes", "Memory that the process has in RAM.", \.process.residentBytes),
    .gauge("process_virtual_memory_bytes", "Addresses that the process has in use.", \.process.virtualBytes),
    .gauge("process_open_fds", "Descriptors open.", \.process.openDescriptors),
    .gauge("process_max_fds", "Descriptors that may be open.", \.process.maxDescriptors),
    .gauge("process_start_time_seconds", "When the process has started.", \.process.startTime),
    .counter(
      "selfie_log_lines_dropped_total",
      "Lines of the log that were dropped, because its reader was too slow or its disk full.", \.log.droppedLines),
  ]

  private static func outcomes(
    of activity: ActivityCounters.Activity, in source: MetricsSource, _ outcomes: [ActivityCounters.Outcome]
  ) -> [Sample] {
    outcomes.map { Sample(source.application.activity[activity, $0], MetricLabel("outcome", label($0))) }
  }

  /// `receiving_head` of a case `receivingHead`.
  private static func label<Case>(_ value: Case) -> String {
    "\(value)".map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
  }
}
