import Synchronization

/// A bound on the memory that clients can make a process hold, all of them together. A `MemoryReservation` is the part
/// that one holder has reserved.
///
/// It counts what its users tell it. What the process needs in any case is not part of it.
package final class MemoryBudget: Sendable {
  package static let defaultLimit = 256 * 1024 * 1024

  /// A reservation up to this size is refused only if the whole budget is used. Larger ones leave a part of it free, so
  /// that those who send and get little are served while others send and get much.
  package static let smallReservation = 64 * 1024

  /// In bytes.
  package let limit: Int
  private let used = Atomic<Int>(0)
  private let peak = Atomic<Int>(0)

  package init(limit: Int = MemoryBudget.defaultLimit) {
    self.limit = limit
  }

  /// Bytes that are in use.
  package var usedBytes: Int { used.load(ordering: .relaxed) }

  /// Whether so much is left that a client may hold more than it must, to be served faster.
  package var isAmple: Bool { usedBytes < limit / 4 }

  /// Whether so little is left that the slowest clients must make room.
  package var isShort: Bool { usedBytes > limit / 4 * 3 }

  /// The bytes that must become free until there are enough again.
  package var excessBytes: Int { usedBytes - limit / 8 * 5 }

  package var isExhausted: Bool { usedBytes >= limit }

  /// The most bytes that were in use.
  package var peakBytes: Int { peak.load(ordering: .relaxed) }

  /// Counts memory that is in use already.
  package func add(_ bytes: Int) {
    let now = used.add(bytes, ordering: .relaxed).newValue
    if now > peak.load(ordering: .relaxed) { _ = peak.max(now, ordering: .relaxed) }
  }

  package func subtract(_ bytes: Int) {
    used.subtract(bytes, ordering: .relaxed)
  }

  /// - Parameter total: how much the one who asks has with these bytes.
  /// - Returns: false if that is more than there is for it; nothing is added then.
  package func reserve(_ bytes: Int, total: Int) -> Bool {
    let allowed = total <= Self.smallReservation ? limit : limit / 8 * 7
    guard bytes <= allowed, usedBytes <= allowed - bytes else { return false }
    // Another thread may have been faster: the budget is exceeded by one reservation for each thread at most.
    add(bytes)
    return true
  }
}
