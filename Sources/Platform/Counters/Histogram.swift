import Synchronization

/// How many observations there were, and how large. Any thread may observe and read, without a lock.
public final class Histogram: Sendable {
  /// The upper bounds of the buckets, ascending.
  package let bounds: [Int64]
  private static let maxBounds = 15
  private let counts = InlineArray<16, Atomic<Int64>> { _ in Atomic(0) }
  private let sum = Atomic<Int64>(0)

  /// - Precondition: there are at most fifteen bounds. A last bucket takes what is above all of them.
  package init(bounds: [Int64]) {
    precondition(bounds.count <= Self.maxBounds)
    self.bounds = bounds
  }

  package func observe(_ value: Int64) {
    counts[Self.bucket(of: value, in: bounds)].wrappingAdd(1, ordering: .relaxed)
    sum.wrappingAdd(value, ordering: .relaxed)
  }

  private static func bucket(of value: Int64, in bounds: [Int64]) -> Int {
    bounds.firstIndex { value <= $0 } ?? bounds.count
  }

  /// What has been observed so far. While others observe, the sum may lack the last observations, or have more.
  package var reading: Reading {
    var reading = Reading(bounds: bounds)
    for bucket in reading.counts.indices { reading.counts[bucket] = counts[bucket].load(ordering: .relaxed) }
    reading.sum = sum.load(ordering: .relaxed)
    return reading
  }

  /// What a histogram had observed at some moment.
  package struct Reading: Sendable, Equatable {
    package let bounds: [Int64]
    /// Of each bucket alone; the last one is for what is above all bounds.
    package fileprivate(set) var counts: [Int64]
    package fileprivate(set) var sum: Int64 = 0

    package init(bounds: [Int64]) {
      self.bounds = bounds
      counts = [Int64](repeating: 0, count: bounds.count + 1)
    }

    /// Counts an observation of this reading's owner.
    package mutating func observe(_ value: Int64) {
      counts[Histogram.bucket(of: value, in: bounds)] &+= 1
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
  /// What OpenTelemetry's semantic conventions advise for requests: 5 ms to 10 s.
  package static let requestBounds: [Int64] = milliseconds([
    5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
  ])

  /// For what a disk does: 0.1 ms, as on a fast one, to 10 s, as on a failing one.
  package static let diskBounds: [Int64] =
    [100_000, 250_000, 500_000] + milliseconds([1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000])

  private static func milliseconds(_ bounds: [Double]) -> [Int64] { bounds.map { Int64($0 * 1_000_000) } }
}
