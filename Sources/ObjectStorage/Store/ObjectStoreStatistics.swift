import HTTPClient
import Platform
import Synchronization

/// What has been asked of an object store since the start.
package struct ObjectStoreStatistics: Sendable {
  package struct Requests: Sendable {
    /// Such as `PUT`.
    package let method: String
    /// How long they took, each with all of its attempts and the pauses between them. In nanoseconds.
    package let durations: Histogram.Reading
    /// How many of them have failed. That there is no such object is no failure.
    package let failures: Int
  }

  package let requests: [Requests]
  /// Attempts that came after the first one of a request.
  package let retries: Int
  /// The threads that wait for responses.
  package let pool: WorkerPool.Statistics
}

/// What an object store counts.
final class ObjectStoreCounters: Sendable {
  private final class Requests: Sendable {
    let durations = Histogram(bounds: DurationBounds.requests)
    let failures = Atomic<Int>(0)
  }

  private let requests = Dictionary(uniqueKeysWithValues: ClientRequest.Method.allCases.map { ($0, Requests()) })
  private let retries = Atomic<Int>(0)

  func countRetry() {
    retries.wrappingAdd(1, ordering: .relaxed)
  }

  /// - Parameter error: why it has failed; nil if it has not.
  func count(_ method: ClientRequest.Method, milliseconds: Int64, _ error: ObjectStoreError?) {
    guard let requests = requests[method] else { return }
    requests.durations.observe(milliseconds &* 1_000_000)
    if let error, error != .missing { requests.failures.wrappingAdd(1, ordering: .relaxed) }
  }

  func statistics(pool: WorkerPool.Statistics) -> ObjectStoreStatistics {
    ObjectStoreStatistics(
      requests: ClientRequest.Method.allCases.compactMap { method in
        requests[method].map { requests in
          ObjectStoreStatistics.Requests(
            method: method.rawValue, durations: requests.durations.reading,
            failures: requests.failures.load(ordering: .relaxed))
        }
      },
      retries: retries.load(ordering: .relaxed), pool: pool)
  }
}
