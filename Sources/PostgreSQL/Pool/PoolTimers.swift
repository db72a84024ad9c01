/// What is to be called later, on the thread of a pool.
struct PoolTimers {
  private var timers: [(time: Int64, call: () -> Void)] = []

  /// When the next call is due.
  var deadline: Int64? { timers.lazy.map { $0.time }.min() }

  mutating func add(at time: Int64, _ call: @escaping () -> Void) {
    timers.append((time, call))
  }

  /// The calls that are due.
  mutating func removeDue(now: Int64) -> [() -> Void] {
    let due = timers.filter { $0.time <= now }
    if !due.isEmpty { timers.removeAll { $0.time <= now } }
    return due.map { $0.call }
  }
}
