import Metrics
import Platform
import SelfieAPI

/// All metrics: their names, what they say, and where their values are found.
///
/// What OpenTelemetry's semantic conventions name has its name there, as Prometheus writes it; what Prometheus' own
/// clients tell of a process begins with `process_`; and the rest begins with `selfie_`.
enum MetricsList {
  static let all: [Metric<MetricsSnapshot>] =
    requests + connections + activity + passwords + storage + database + cluster + pools + backups + process

  private static let requests: [Metric<MetricsSnapshot>] = [
    .histograms(
      "http_server_request_duration_seconds",
      "Time from the end of a request's head to the last byte of its response."
    ) { $0.requests.map { Sample(.seconds($0.durations), $0.labels) } },
    .histograms(
      "http_server_request_size_bytes", "Bytes of requests, with their heads, as far as they were read."
    ) { $0.routes.map { Sample(.bytes($0.received), $0.labels) } },
    .histograms("http_server_response_size_bytes", "Bytes of responses, with their heads.") {
      $0.routes.map { Sample(.bytes($0.sent), $0.labels) }
    },
    .gauge("http_server_active_requests", "Requests whose responses are not sent yet.") { $0.server.activeRequests },
  ]

  private static let connections: [Metric<MetricsSnapshot>] = [
    .gauges("selfie_connections", "Open connections, by what they are doing.") { snapshot in
      [
        Sample(snapshot.server[.handshaking], Label("state", "handshaking")),
        Sample(snapshot.server[.idle], Label("state", "idle")),
        Sample(snapshot.server[.receivingHead], Label("state", "receiving_head")),
        Sample(snapshot.server[.receivingBody], Label("state", "receiving_body")),
        Sample(snapshot.server[.handling], Label("state", "handling")),
        Sample(snapshot.server[.sending], Label("state", "sending")),
        Sample(snapshot.server[.closing], Label("state", "closing")),
      ]
    },
    .counter("selfie_connections_accepted_total", "Connections accepted.") { $0.server[.accepted] },
    .counter("selfie_connections_refused_total", "Connections for which there was no room.") { $0.server[.refused] },
    .counter("selfie_received_bytes_total", "Bytes received, without those of TLS.") { $0.server[.receivedBytes] },
    .counter("selfie_sent_bytes_total", "Bytes sent, without those of TLS.") { $0.server[.sentBytes] },
    .counters("selfie_tls_handshakes_total", "TLS handshakes, by outcome and version.") { snapshot in
      let server = snapshot.server
      return [
        Sample(server[.fullHandshakes12], Label("outcome", "full"), Label("version", "1.2")),
        Sample(server[.fullHandshakes13], Label("outcome", "full"), Label("version", "1.3")),
        Sample(server[.resumedHandshakes12], Label("outcome", "resumed"), Label("version", "1.2")),
        Sample(server[.resumedHandshakes13], Label("outcome", "resumed"), Label("version", "1.3")),
        Sample(server[.failedHandshakes], Label("outcome", "failed"), Label("version", "unknown")),
      ]
    },
    .gauge("selfie_memory_used_bytes", "Memory that clients make the server hold.") { $0.memoryUsed },
    .gauge("selfie_memory_limit_bytes", "MEMORY_LIMIT: the most memory that clients may make the server hold.") {
      $0.memoryLimit
    },
  ]

  private static let activity: [Metric<MetricsSnapshot>] = [
    .counters(
      "selfie_sign_ins_total", "Attempts to get a token or a session, by outcome."
    ) {
      outcomes(
        of: .signIn, in: $0,
        [
          (.succeeded, "succeeded"), (.wrongPassword, "wrong_password"), (.unknownAccount, "unknown_account"),
          (.tooManyAttempts, "too_many_attempts"), (.refused, "refused"), (.failed, "failed"),
        ])
    },
    .counters("selfie_sign_ups_total", "Attempts to make an account, by outcome.") {
      outcomes(
        of: .signUp, in: $0,
        [
          (.succeeded, "succeeded"), (.tooManyAttempts, "too_many_attempts"), (.refused, "refused"),
          (.failed, "failed"),
        ])
    },
    .counter(
      "selfie_refused_guesses_total",
      "Wrong passwords, unknown accounts, and attempts beyond the limit, also at the API's own password."
    ) { $0.refusedGuesses },
    .counters("selfie_uploads_total", "Uploads of photos, by outcome.") {
      outcomes(of: .upload, in: $0, [(.succeeded, "succeeded"), (.refused, "refused"), (.failed, "failed")])
    },
    .counter("selfie_uploaded_bytes_total", "Bytes of the photos that were stored.") { $0.activity.uploadedBytes },
  ]

  private static let passwords: [Metric<MetricsSnapshot>] = [
    .histogram("selfie_password_hash_duration_seconds", "Time to hash or check a password.") {
      .seconds($0.hashing.hashes.reading)
    },
    .histogram("selfie_password_hash_wait_seconds", "Time that passwords waited for their turn to be hashed.") {
      .seconds($0.hashing.waits.reading)
    },
  ]

  private static let storage: [Metric<MetricsSnapshot>] = [
    .gauge("selfie_users", "Accounts of the Selfie app.") { $0.totals?.users },
    .gauge("selfie_disabled_users", "Accounts of the Selfie app that the owner has disabled.") {
      $0.totals?.disabledUsers
    },
    .gauge("selfie_photos", "Photos stored.") { $0.totals?.photos },
    .gauge("selfie_photo_bytes", "Bytes of the photos stored.") { $0.totals?.photoBytes },
    .gauge("selfie_storage_free_bytes", "What is free on the disk of the storage.") { $0.totals?.freeBytes },
  ]

  private static let database: [Metric<MetricsSnapshot>] = [
    .histogram(
      "selfie_commit_duration_seconds",
      "Time to commit a transaction, most of which is the sync. Writes share commits."
    ) { $0.database.map { .seconds($0.commits) } },
    .gauge("selfie_waiting_writes", "Writes that wait for the next transaction.") { $0.database?.waitingWrites },
    .histogram(
      "selfie_checkpoint_duration_seconds", "Time of checkpoints, which copy the log into the database's file."
    ) { $0.database.map { .seconds($0.checkpoints) } },
    .counter("selfie_failed_checkpoints_total", "Checkpoints that have failed.") {
      $0.database?.failedCheckpoints
    },
    .gauge("selfie_database_bytes", "Size of the database's file.") { $0.totals?.databaseBytes },
    .gauge("selfie_database_log_bytes", "Size of the database's write-ahead log.") { $0.totals?.logBytes },
  ]

  private static let pools: [Metric<MetricsSnapshot>] = [
    .gauges("selfie_pool_waiting_jobs", "Jobs that wait for a thread, by worker pool.") { snapshot in
      snapshot.pools.map { Sample($0.statistics.waiting, Label("pool", $0.name)) }
    },
    .gauges("selfie_pool_busy_threads", "Threads at work, by worker pool.") { snapshot in
      snapshot.pools.map { Sample($0.statistics.busy, Label("pool", $0.name)) }
    },
    .counters("selfie_pool_refused_jobs_total", "Jobs that were refused because too many waited.") { snapshot in
      snapshot.pools.map { Sample($0.statistics.refused, Label("pool", $0.name)) }
    },
  ]

  private static let backups: [Metric<MetricsSnapshot>] = [
    .gauge(
      "selfie_backup_timestamp_seconds",
      "When the newest backup was made. Its age is time() less this. Absent without BACKUP_DIR."
    ) { $0.backup?.time.map { Double($0) / 1000 } },
    .gauge("selfie_backup_bytes", "Size of the newest backup.") { $0.backup?.byteCount },
    .gauge("selfie_backup_failed", "1 if the last attempt at a backup has failed or lacks something, else 0.") {
      $0.backup.map { $0.error == nil ? 0 : 1 }
    },
  ]

  private static let process: [Metric<MetricsSnapshot>] = [
    .gauges("selfie_build_info", "The server's version; the value is always 1.") {
      [Sample(1, Label("version", $0.version))]
    },
    .counter("process_cpu_seconds_total", "Time of processors that the process has used.") {
      $0.process.cpuNanoseconds.map { Double($0) / 1_000_000_000 }
    },
    .gauge("process_resident_memory_bytes", "Memory that the process has in RAM.") { $0.process.residentBytes },
    .gauge("process_virtual_memory_bytes", "Addresses that the process has in use.") { $0.process.virtualBytes },
    .gauge("process_open_fds", "Descriptors open.") { $0.process.openDescriptors },
    .gauge("process_max_fds", "Descriptors that may be open.") { $0.process.maxDescriptors },
    .gauge("process_start_time_seconds", "When the process has started.") { $0.process.startTime },
    .counter(
      "selfie_log_lines_dropped_total",
      "Lines of the log that were dropped, because its reader was too slow or its disk full."
    ) { $0.droppedLogLines },
  ]

  private static func outcomes(
    of activity: ActivityCounters.Activity, in snapshot: MetricsSnapshot,
    _ outcomes: [(ActivityCounters.Outcome, String)]
  ) -> [Sample] {
    outcomes.map { Sample(snapshot.activity[activity, $0.0], Label("outcome", $0.1)) }
  }
}

extension Sample {
  fileprivate init(_ histogram: ScaledHistogram, _ labels: RequestLabels) {
    let status = labels.status.map { [Label("http_response_status_code", "\($0)")] } ?? []
    self.init(
      histogram, [Label("http_request_method", labels.method), Label("http_route", labels.route)] + status)
  }
}
