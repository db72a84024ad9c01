import Platform
import Synchronization

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

  func statistics(pool: WorkerPool.Statistics) -> ClientStatistics {
    ClientStatistics(
      requests: ClientRequest.Method.allCases.compactMap { method in
        requests[method].map { requests in
          ClientStatistics.Requests(
            method: method.rawValue, durations: requests.durations.reading,
            failures: requests.failures.load(ordering: .relaxed))
        }
      },
      retries: retries.load(ordering: .relaxed), pool: pool)
  }
}
