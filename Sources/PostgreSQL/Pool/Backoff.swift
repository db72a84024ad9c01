/// How long to wait before the next attempt to connect: exponential, with full jitter, so that the processes of a
/// cluster do not all come back to a restarted server at the same instant.
public struct Backoff: Sendable {
  /// In milliseconds: the longest delay after the first failure.
  public var base: Int64 = 100
  /// In milliseconds: the longest delay of all.
  public var maxDelay: Int64 = 10_000

  public init() {}

  /// - Parameters:
  ///   - failures: how many attempts have failed in a row, at least 1.
  ///   - random: from 0 to 1.
  func delay(afterFailures failures: Int, random: Double) -> Int64 {
    let doublings = min(max(failures - 1, 0), 20)
    let limit = min(Double(base) * Double(1 << doublings), Double(maxDelay))
    return Int64(limit * min(max(random, 0), 1))
  }
}
