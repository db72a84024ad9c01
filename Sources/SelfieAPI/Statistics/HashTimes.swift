import Platform

/// The times that passwords waited for their turn, and the times that hashing them took.
package struct HashTimes: Sendable {
  package let waits = Histogram(bounds: Histogram.requestBounds)
  package let hashes = Histogram(bounds: Histogram.requestBounds)

  /// Runs work that hashes passwords, which has waited since `start`, in monotonic nanoseconds.
  func measure<Result>(since start: Int64, _ work: () throws -> Result) rethrows -> Result {
    let beginning = monotonicNanoseconds()
    waits.observe(beginning &- start)
    defer { hashes.observe(monotonicNanoseconds() &- beginning) }
    return try work()
  }
}
