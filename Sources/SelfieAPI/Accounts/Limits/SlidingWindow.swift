/// The times of the latest events of many keys. Its memory is bounded: where there are too many, the keys with the
/// fewest events are forgotten. Its users, such as `AttemptCounts`, choose the keys and the numbers.
package struct SlidingWindow: Sendable {
  /// Events within the window after which the next one has to wait.
  private let maxEvents: Int
  /// In milliseconds.
  private let window: Int64
  private let maxKeys: Int
  private let maxTimes: Int
  /// The latest events of each key, the oldest first.
  private var times: [Int: [Int64]] = [:]
  /// The number of times of all keys.
  private var count = 0

  package init(maxEvents: Int, window: Int64, maxKeys: Int, maxTimes: Int = 262_144) {
    self.maxEvents = maxEvents
    self.window = window
    self.maxKeys = maxKeys
    self.maxTimes = maxTimes
  }

  /// The time until fewer than `maxEvents` events are in the window; 0 if there are fewer now.
  ///
  /// - Parameter others: events that may be recorded before this one.
  package func wait(for key: Int, besides others: Int = 0, now: Int64) -> Int64 {
    let times = times[key] ?? []
    let excess = times.count + others - maxEvents
    guard excess >= 0 else { return 0 }
    return excess < times.count ? max(0, times[excess] &+ window &- now) : window
  }

  package mutating func record(_ key: Int, now: Int64) {
    if (times[key] == nil && times.count >= maxKeys) || count >= maxTimes { makeRoom(now: now) }
    times[key, default: []].append(now)
    count += 1
    guard let events = times[key]?.count, events > maxEvents else { return }
    times[key]?.removeFirst()
    count -= 1
  }

  mutating func reset(_ key: Int) {
    count -= times.removeValue(forKey: key)?.count ?? 0
  }

  /// Forgets a quarter, so that the next events find room. What has left the window goes first, and then the keys with
  /// the fewest events: a client that wants a key at its limit to be forgotten must bring all others there.
  private mutating func makeRoom(now: Int64) {
    let start = now &- window
    times = times.compactMapValues { times in
      let recent = times.drop { $0 <= start }
      return recent.isEmpty ? nil : Array(recent)
    }
    count = times.values.reduce(0) { $0 + $1.count }
    for (key, _) in times.sorted(by: { $0.value.count < $1.value.count }) {
      guard times.count > maxKeys * 3 / 4 || count > maxTimes * 3 / 4 else { return }
      reset(key)
    }
  }
}
