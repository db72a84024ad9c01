/// How many requests there were in each of the last seconds, and how long they took.
struct RecentTimes: Sendable {
  /// The requests of some seconds by the number of binary digits of their microseconds.
  struct Summary: Equatable {
    fileprivate(set) var counts: [Int64]

    var count: Int64 { counts.reduce(0, +) }

    /// No fewer microseconds than so many of a hundred requests took, and less than twice as many; nil without requests.
    func microseconds(ofPercent percent: Int64) -> Int64? {
      guard count > 0 else { return nil }
      let wanted = (count * percent + 99) / 100
      var seen: Int64 = 0
      let digits = counts.firstIndex { count in
        seen += count
        return seen >= wanted
      }
      return digits.map { 1 << Int64($0) }
    }
  }

  private struct Slot {
    var second: Int64 = -1
    var counts = [Int64](repeating: 0, count: maxDigits + 1)
  }

  /// More than an hour.
  private static let maxDigits = 32
  private var slots: [Slot]

  init(seconds: Int64) {
    slots = [Slot](repeating: Slot(), count: Int(seconds))
  }

  /// - Parameter second: of a clock that never goes back.
  mutating func add(microseconds: Int64, at second: Int64) {
    let index = Int(second) % slots.count
    if slots[index].second != second { slots[index] = Slot(second: second) }
    let digits = Int64.bitWidth - max(0, microseconds).leadingZeroBitCount
    slots[index].counts[min(digits, Self.maxDigits)] += 1
  }

  func summary(at second: Int64) -> Summary {
    var summary = Summary(counts: [Int64](repeating: 0, count: Self.maxDigits + 1))
    for slot in slots where slot.second >= 0 && slot.second > second - Int64(slots.count) {
      for (digits, count) in slot.counts.enumerated() { summary.counts[digits] += count }
    }
    return summary
  }
}
