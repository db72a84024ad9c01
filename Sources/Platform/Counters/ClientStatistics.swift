/// Counts of a client's requests to another server since the start. `ObjectStore` in ObjectStorage keeps them, and
/// `ServerStatistics` in HTTPServer has the counts of this server's own clients.
///
/// The durations are in nanoseconds, with all attempts of a request and the pauses between them. The failures are requests
/// that have failed in the end, and the retries are attempts that came after the first one of a request. The pool has the
/// threads that wait for responses.
package typealias ClientStatistics = (
  requests: [(method: String, durations: Histogram.Reading, failures: Int)], retries: Int, pool: WorkerPool.Statistics
)
