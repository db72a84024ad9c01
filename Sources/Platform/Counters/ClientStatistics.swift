/// Counts of a client's requests to another server since the start. `ObjectStore` in ObjectStorage keeps them, and
/// `ServerStatistics` in HTTPServer has the counts of this server's own clients.
package struct ClientStatistics: Sendable {
  /// The requests of one method.
  package struct Requests: Sendable {
    package let method: String
    /// In nanoseconds, with all attempts of a request and the pauses between them.
    package var durations: Histogram.Reading
    /// Requests that have failed in the end.
    package var failures = 0

    package init(method: String, durations: Histogram.Reading) {
      self.method = method
      self.durations = durations
    }
  }

  package let requests: [Requests]
  /// Attempts that came after the first one of a request.
  package let retries: Int
  /// The threads that wait for responses.
  package let pool: WorkerPool.Statistics

  package init(requests: [Requests], retries: Int, pool: WorkerPool.Statistics) {
    self.requests = requests
    self.retries = retries
    self.pool = pool
  }
}
