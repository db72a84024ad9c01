/// Counts observations by their size. Any thread may observe and read. `MetricsList` in SelfieServer names the
/// metrics that show it.
package final class Histogram: Sendable {
  private let state: Monitor<Reading>

  /// - Parameter bounds: the upper bounds of the buckets, ascending. A last bucket takes what is above all of them.
  package init(bounds: [Int64]) {
    state = Monitor(Reading(bounds: bounds))
  }

  package func observe(_ value: Int64) { state.withLock { $0.observe(value) } }

  /// The observations so far.
  package var reading: Reading { state.withLock { $0 } }

  /// A histogram's counts at some moment.
  package struct Reading: Sendable, Equatable {
    package let bounds: [Int64]
    /// Of each bucket alone; the last one is for what is above all bounds.
    package private(set) var counts: [Int64]
    package private(set) var sum: Int64 = 0

    package init(bounds: [Int64]) {
      self.bounds = bounds
      counts = [Int64](repeating: 0, count: bounds.count + 1)
    }

    package mutating func observe(_ value: Int64) {
      counts[bounds.firstIndex { value <= $0 } ?? bounds.count] &+= 1
      sum &+= value
    }

    /// Of the buckets' counts, so that it never differs from them.
    package var count: Int64 { counts.reduce(0, &+) }

    /// Adds what another histogram with the same bounds has observed.
    package mutating func add(_ other: Reading) {
      precondition(bounds == other.bounds)
      for (bucket, count) in other.counts.enumerated() { counts[bucket] &+= count }
      sum &+= other.sum
    }
  }
}

// Bounds of durations, in nanoseconds.
extension Histogram {
  /// As OpenTelemetry's semantic conventions advise for requests: 5 ms to 10 s.
  package static let requestBounds: [Int64] = milliseconds([
    5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
  ])

  /// For what a disk does: 0.1 ms, as on a fast one, to 10 s, as on a failing one.
  package static let diskBounds: [Int64] =
    [100_000, 250_000, 500_000] + milliseconds([1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000])

  private static func milliseconds(_ bounds: [Double]) -> [Int64] { bounds.map { Int64($0 * 1_000_000) } }
}
