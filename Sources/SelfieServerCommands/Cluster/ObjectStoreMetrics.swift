import Platform

/// What an object store has been asked since the start.
package struct ObjectStoreMetrics: Sendable {
  package struct Requests: Sendable {
    /// Such as `PUT`.
    let method: String
    /// How long they took, each with all of its attempts and the pauses between them. In nanoseconds.
    let durations: Histogram.Reading
    let failures: Int

    package init(method: String, durations: Histogram.Reading, failures: Int) {
      self.method = method
      self.durations = durations
      self.failures = failures
    }
  }

  let requests: [Requests]
  /// Attempts that came after the first one of a request.
  let retries: Int
  /// The threads that wait for responses.
  let pool: WorkerPool.Statistics

  package init(requests: [Requests], retries: Int, pool: WorkerPool.Statistics) {
    self.requests = requests
    self.retries = retries
    self.pool = pool
  }
}
