/// How long to wait before another attempt: exponential, with full jitter, so that the clients of a server that was
/// away do not all come back at the same instant. In milliseconds. Retries.swift in ObjectStorage does the waiting.
package struct Backoff: Sendable {
  /// The longest delay after the first failure. It doubles with each further one.
  package var base: Int64
  /// The longest delay of all.
  package var maxDelay: Int64

  package init(base: Int64, maxDelay: Int64) {
    self.base = base
    self.maxDelay = maxDelay
  }

  /// - Parameters:
  ///   - failures: how many attempts have failed in a row, at least 1.
  ///   - random: from 0 to 1.
  package func delay(afterFailures failures: Int, random: Double) -> Int64 {
    let doublings = (failures - 1).clamped(to: 0...20)
    let limit = min(Double(base) * Double(1 << doublings), Double(maxDelay))
    return Int64(limit * random.clamped(to: 0...1))
  }
}
