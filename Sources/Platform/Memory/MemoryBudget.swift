import Synchronization

/// A bound on the memory that clients can make a process hold, all of them together. A `MemoryReservation` is the part
/// that one holder has reserved.
///
/// It counts what its users tell it, and as one more holder what a `MemoryGovernor` finds that nobody has told. What the
/// process needs in any case is not part of it.
package final class MemoryBudget: Sendable {
  package static let defaultLimit = 256 * 1024 * 1024

  /// A reservation up to this size is refused only if the whole budget is used. Larger ones leave a part of it free, so
  /// that those who send and get little are served while others send and get much.
  package static let smallReservation = 64 * 1024

  /// In bytes.
  package let limit: Int
  private let used = Atomic<Int>(0)
  private let peak = Atomic<Int>(0)
  /// Of the bytes in use.
  private let uncounted = Atomic<Int>(0)
  private let pages = Atomic<Int>(0)
  private let looks = Atomic<Int>(0)
  private let holders = Atomic<Int>(0)
  private let overrun = Atomic<Bool>(false)
  private let crowdObserver = Monitor<(@Sendable () -> Void)?>(nil)

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

  /// The bytes in use for which nobody has a reservation, as the governor has found.
  package var uncountedBytes: Int { uncounted.load(ordering: .relaxed) }

  /// Whether that is so much that it is what there is too little memory for.
  package var isMuchUncounted: Bool { uncountedBytes > limit / 8 }

  /// The bytes in use without those.
  package var countedBytes: Int { usedBytes - uncountedBytes }

  /// Of these, the bytes in pages that their holders have from the system, and not from the allocator.
  package var pageBytes: Int { pages.load(ordering: .relaxed) }

  /// How often `uncountedBytes` was found anew. Until it changes, memory that was given back since may still be in it.
  package var lookCount: Int { looks.load(ordering: .relaxed) }

  /// Reservations, empty ones too: each request that waits has one.
  var reservationCount: Int { holders.load(ordering: .relaxed) }

  /// Whether so many requests wait that what they hold may grow by megabytes within milliseconds.
  var isCrowded: Bool { reservationCount >= Self.crowd }
  private static let crowd = 32

  /// Whether memory that nobody has reserved has been too much for seconds, although connections gave way: no request
  /// that waits for anything may begin.
  package var isOverrun: Bool { overrun.load(ordering: .relaxed) }

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
    guard hasRoom(for: bytes, total: total) else { return false }
    // Another thread may have been faster: the budget is exceeded by one reservation for each thread at most.
    add(bytes)
    return true
  }

  /// Whether `reserve` would succeed now.
  package func hasRoom(for bytes: Int, total: Int) -> Bool {
    let allowed = total <= Self.smallReservation ? limit : limit / 8 * 7
    return bytes <= allowed && usedBytes <= allowed - bytes
  }

  /// Counts pages that are in use already, and that the allocator does not know.
  package func addPages(_ bytes: Int) {
    pages.add(bytes, ordering: .relaxed)
    add(bytes)
  }

  package func subtractPages(_ bytes: Int) {
    pages.subtract(bytes, ordering: .relaxed)
    subtract(bytes)
  }

  // MARK: - For the governor and the reservations

  /// Replaces `uncountedBytes`. One thread at a time may call this.
  func setUncounted(_ bytes: Int, isNew: Bool) {
    add(bytes - uncounted.exchange(bytes, ordering: .relaxed))
    if isNew { looks.add(1, ordering: .relaxed) }
  }

  func setOverrun(_ isOverrun: Bool) { overrun.store(isOverrun, ordering: .relaxed) }

  func countReservation(_ number: Int) {
    guard holders.add(number, ordering: .relaxed).newValue == Self.crowd, number > 0 else { return }
    crowdObserver.withLock { $0 }?()
  }

  /// - Parameter observe: called each time that it becomes crowded.
  func observeCrowds(_ observe: (@Sendable () -> Void)?) { crowdObserver.withLock { $0 = observe } }
}
