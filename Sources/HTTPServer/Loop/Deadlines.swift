/// Deadlines of small numbers, the slots of connections. `Limits` has the times, and `ConnectionTable` tells the
/// connections whose deadlines have expired.
///
/// Nearly every event moves one, so that costs no more than a store. In return, all of them are looked at now and then:
/// sixteen thousand take some ten microseconds.
struct Deadlines {
  /// Milliseconds between two looks: a deadline expires at most this much late.
  static let resolution: Int64 = 128

  private var deadlines: [Int64] = []
  private var nextLook: Int64 = 0

  /// Sets the deadline of `id`, whatever it was.
  mutating func set(_ id: Int, to deadline: Int64) {
    while deadlines.count <= id { deadlines.append(.max) }
    deadlines[id] = deadline
  }

  /// Removes the deadline of `id`.
  mutating func clear(_ id: Int) {
    if deadlines.indices.contains(id) { deadlines[id] = .max }
  }

  /// Removes and returns the ids whose deadlines have expired; none before the next look is due.
  mutating func takeExpired(at now: Int64) -> [Int] {
    guard now >= nextLook else { return [] }
    nextLook = now &+ Self.resolution
    let expired = deadlines.indices.filter { deadlines[$0] <= now }
    for id in expired { deadlines[id] = .max }
    return expired
  }

  /// Milliseconds until the next look.
  func wait(from now: Int64) -> Int32 { Int32(clamping: max(0, nextLook &- now)) }
}
