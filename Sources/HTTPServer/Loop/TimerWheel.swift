/// A hashed timing wheel (Varghese and Lauck): setting, moving and clearing a deadline cost O(1),
/// however many there are.
///
/// Deadlines belong to small integers, the slots of connections. Nearly every event moves a deadline later. That only
/// notes the new time: the entry stays on its spoke, and moves to the right one when the wheel reaches it.
struct TimerWheel {
  /// Milliseconds between two spokes: a deadline expires at most this much late.
  static let resolution: Int64 = 128
  /// Spokes. A turn takes 65 s; longer deadlines go round more than once.
  private static let spokeCount = 512
  private static let none: Int32 = -1

  private struct Entry {
    var deadline = Int64.max
    var spoke = none
    var next = none
    var previous = none
  }

  private var entries: [Entry] = []
  private var spokes = [Int32](repeating: none, count: spokeCount)
  /// The next spoke that the wheel will reach, counted from time 0.
  private var tick: Int64

  init(now: Int64) {
    tick = now / Self.resolution
  }

  /// Sets the deadline of `id`, whatever it was.
  mutating func set(_ id: Int, deadline: Int64) {
    while entries.count <= id { entries.append(Entry()) }
    let earlier = deadline < entries[id].deadline
    entries[id].deadline = deadline
    if entries[id].spoke == Self.none {
      link(id)
    } else if earlier {
      unlink(id)
      link(id)
    }
  }

  /// Removes the deadline of `id`.
  mutating func clear(_ id: Int) {
    guard entries.indices.contains(id) else { return }
    if entries[id].spoke != Self.none { unlink(id) }
    entries[id].deadline = .max
  }

  /// Turns the wheel to `now`; removes and returns the ids whose deadlines have expired.
  mutating func advance(to now: Int64) -> [Int] {
    var due: [Int] = []
    let last = now / Self.resolution
    // After a long sleep one turn looks at every spoke.
    if last - tick >= Int64(Self.spokeCount) { tick = last - Int64(Self.spokeCount) + 1 }
    while tick <= last {
      let spoke = Int(tick % Int64(Self.spokeCount))
      var id = spokes[spoke]
      while id != Self.none {
        let next = entries[Int(id)].next
        if entries[Int(id)].deadline <= now {
          clear(Int(id))
          due.append(Int(id))
        } else if spokeNumber(of: entries[Int(id)].deadline) != spoke {
          unlink(Int(id))
          link(Int(id))
        }
        id = next
      }
      if tick == last { break }
      tick += 1
    }
    return due
  }

  private func spokeNumber(of deadline: Int64) -> Int {
    // One spoke after the deadline's own, so that the deadline has expired when the wheel reaches it, and never a
    // spoke that the wheel has just passed.
    Int(max(deadline / Self.resolution + 1, tick) % Int64(Self.spokeCount))
  }

  private mutating func link(_ id: Int) {
    let spoke = spokeNumber(of: entries[id].deadline)
    let first = spokes[spoke]
    entries[id].spoke = Int32(spoke)
    entries[id].next = first
    entries[id].previous = Self.none
    if first != Self.none { entries[Int(first)].previous = Int32(id) }
    spokes[spoke] = Int32(id)
  }

  private mutating func unlink(_ id: Int) {
    let entry = entries[id]
    if entry.previous != Self.none {
      entries[Int(entry.previous)].next = entry.next
    } else {
      spokes[Int(entry.spoke)] = entry.next
    }
    if entry.next != Self.none { entries[Int(entry.next)].previous = entry.previous }
    entries[id].spoke = Self.none
    entries[id].next = Self.none
    entries[id].previous = Self.none
  }
}
