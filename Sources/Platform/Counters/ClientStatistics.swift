/// What a client has asked of another server since the start.
package struct ClientStatistics: Sendable {
  package struct Requests: Sendable {
    /// Such as `PUT`.
    package let method: String
    /// How long they took, each with all of its attempts and the pauses between them. In nanoseconds.
    package let durations: Histogram.Reading
    /// How many of them have failed in the end.
    package let failures: Int

    package init(method: String, durations: Histogram.Reading, failures: Int) {
      self.method = method
      self.durations = durations
      self.failures = failures
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
