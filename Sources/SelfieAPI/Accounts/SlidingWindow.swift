/// The times of the latest events of many keys. Its memory is bounded: of too many keys, those with the fewest events
/// are forgotten.
struct SlidingWindow: Sendable {
  /// Events within the window after which the next one has to wait.
  private let maxEvents: Int
  /// In milliseconds.
  private let window: Int64
  private let maxKeys: Int
  /// The latest events of each key, the oldest first.
  private var times: [Int: [Int64]] = [:]

  init(maxEvents: Int, window: Int64, maxKeys: Int) {
    self.maxEvents = maxEvents
    self.window = window
    self.maxKeys = maxKeys
  }

  /// How long until fewer than `maxEvents` events are in the window; 0 if there are fewer now.
  func wait(for key: Int, now: Int64) -> Int64 {
    guard let times = times[key], times.count >= maxEvents, let oldest = times.first else { return 0 }
    return max(0, oldest &+ window &- now)
  }

  mutating func record(_ key: Int, now: Int64) {
    if times[key] == nil, times.count >= maxKeys { makeRoom(now: now) }
    times[key, default: []].append(now)
    if let count = times[key]?.count, count > maxEvents { times[key]?.removeFirst() }
  }

  mutating func reset(_ key: Int) {
    times[key] = nil
  }

  /// Forgets a quarter of the keys, so that the next ones find room. Those without an event in the window go first, and
  /// then those with the fewest: whoever wants a key at its limit to be forgotten must bring all others there.
  private mutating func makeRoom(now: Int64) {
    let start = now &- window
    times = times.filter { $0.value.last.map { $0 > start } ?? false }
    var excess = times.count - maxKeys * 3 / 4
    for count in 1...max(1, maxEvents) where excess > 0 {
      times = times.filter { entry in
        guard excess > 0, entry.value.count(where: { $0 > start }) <= count else { return true }
        excess -= 1
        return false
      }
    }
  }
}
