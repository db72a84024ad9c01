/// Counts of a client's requests to another server since the start. `ObjectStore` in ObjectStorage keeps them, and
/// `ServerStatistics` in HTTPServer has the counts of this server's own clients.
package struct ClientStatistics: Sendable {
  /// The durations are in nanoseconds, with all attempts of a request and the pauses between them. The failures are
  /// requests that have failed in the end.
  package let requests: [(method: String, durations: Histogram.Reading, failures: Int)]
  /// Attempts that came after the first one of a request.
  package let retries: Int
  /// The threads that wait for responses.
  package let pool: WorkerPool.Statistics

  package init(
    requests: [(method: String, durations: Histogram.Reading, failures: Int)], retries: Int,
    pool: WorkerPool.Statistics
  ) {
    self.requests = requests
    self.retries = retries
    self.pool = pool
  }
}
