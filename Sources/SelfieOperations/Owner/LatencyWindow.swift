/// How many requests there were in each of the last seconds, and how long they took.
struct LatencyWindow: Sendable {
  /// The requests of some seconds by the number of binary digits of their microseconds.
  struct Summary {
    fileprivate(set) var counts = [Int64](repeating: 0, count: maxDigits + 1)

    var count: Int64 { counts.reduce(0, +) }

    /// A power of two that this percentage of the requests did not exceed, in microseconds; nil without requests.
    func microseconds(ofPercent percent: Int64) -> Int64? {
      let wanted = (count * percent + 99) / 100
      var seen: Int64 = 0
      let digits = counts.firstIndex { count in
        seen += count
        return seen >= wanted
      }
      return count > 0 ? digits.map { 1 << Int64($0) } : nil
    }
  }

  /// More than an hour.
  private static let maxDigits = 32
  private let maxAge: Int64
  private var seconds: [Int64: Summary] = [:]

  init(seconds maxAge: Int64) {
    self.maxAge = maxAge
  }

  /// - Parameter second: of a clock that never goes back.
  mutating func add(microseconds: Int64, at second: Int64) {
    if seconds[second] == nil { seconds = seconds.filter { $0.key > second - maxAge } }
    let digits = Int64.bitWidth - max(0, microseconds).leadingZeroBitCount
    seconds[second, default: Summary()].counts[min(digits, Self.maxDigits)] += 1
  }

  func summary(at second: Int64) -> Summary {
    var summary = Summary()
    for (time, of) in seconds where time > second - maxAge {
      for (digits, count) in of.counts.enumerated() { summary.counts[digits] += count }
    }
    return summary
  }
}
