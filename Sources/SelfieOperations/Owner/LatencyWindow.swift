import Platform

/// How many requests there were in each of the last seconds, and how long they took.
struct LatencyWindow: Sendable {
  /// The seconds over which requests are counted.
  static let maxSeconds: Int64 = 60
  /// In microseconds, to more than an hour.
  private static let bounds: [Int64] = (0...32).map { 1 << $0 }

  private var seconds: [Int64: Histogram.Reading] = [:]

  /// - Parameter second: of a clock that never goes back.
  mutating func add(microseconds: Int64, at second: Int64) {
    if seconds[second] == nil { seconds = seconds.filter { $0.key > second - Self.maxSeconds } }
    seconds[second, default: Histogram.Reading(bounds: Self.bounds)].observe(microseconds)
  }

  /// The number of requests up to this second, and powers of two that these percentages of them did not exceed, in
  /// microseconds; nil without requests.
  func summary(at second: Int64, percents: [Int64]) -> (count: Int64, microseconds: [Int64?]) {
    var all = Histogram.Reading(bounds: Self.bounds)
    for (key, reading) in seconds where key > second - Self.maxSeconds { all.add(reading) }
    let microseconds = percents.map { percent in
      var rest = max(1, (all.count * percent + 99) / 100)
      return zip(all.bounds, all.counts).first { _, count in
        rest -= count
        return rest <= 0
      }?.0
    }
    return (all.count, microseconds)
  }
}
