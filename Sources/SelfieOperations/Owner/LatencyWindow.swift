/// How many requests there were in each of the last seconds, and how long they took.
struct LatencyWindow: Sendable {
  /// More than an hour.
  private static let maxDigits = 32
  private static let none = [Int64](repeating: 0, count: maxDigits + 1)

  private let maxAge: Int64
  /// The requests of each second by the number of binary digits of their microseconds.
  private var seconds: [Int64: [Int64]] = [:]

  init(seconds maxAge: Int64) {
    self.maxAge = maxAge
  }

  /// - Parameter second: of a clock that never goes back.
  mutating func add(microseconds: Int64, at second: Int64) {
    if seconds[second] == nil { seconds = seconds.filter { $0.key > second - maxAge } }
    let digits = Int64.bitWidth - max(0, microseconds).leadingZeroBitCount
    seconds[second, default: Self.none][min(digits, Self.maxDigits)] += 1
  }

  /// The number of requests up to this second, and powers of two that these percentages of them did not exceed, in
  /// microseconds; nil without requests.
  func summary(at second: Int64, percents: [Int64]) -> (count: Int64, microseconds: [Int64?]) {
    let counts = seconds.filter { $0.key > second - maxAge }.values.reduce(Self.none) { zip($0, $1).map(+) }
    let count = counts.reduce(0, +)
    let microseconds = percents.map { percent -> Int64? in
      let wanted = (count * percent + 99) / 100
      var seen: Int64 = 0
      let digits = counts.firstIndex { count in
        seen += count
        return seen >= wanted
      }
      return count > 0 ? digits.map { 1 << Int64($0) } : nil
    }
    return (count, microseconds)
  }
}
