/// How long responses took.
public struct Latencies: Sendable {
  private var seconds: [Double] = []
  /// Requests without a response, or with a status other than 200.
  public private(set) var failures = 0

  public init() {}

  public var count: Int { seconds.count }

  public mutating func add(_ latency: Double, isAnswered: Bool) {
    seconds.append(latency)
    if !isAnswered { failures += 1 }
  }

  public mutating func add(_ other: Latencies) {
    seconds += other.seconds
    failures += other.failures
  }

  /// The lowest latency, in seconds, that this share of the requests did not exceed.
  public func quantile(_ share: Double) -> Double {
    let sorted = seconds.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }
}
