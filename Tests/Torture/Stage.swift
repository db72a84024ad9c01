import Synchronization

/// What the clients of one load must know of what is done to the server meanwhile.
final class Stage: Sendable {
  private let over = Atomic(false)
  private let killed = Atomic(false)
  /// Grows by one when a fault begins, and when it ends: odd while it is there.
  private let faults = Atomic(0)
  let fault: Fault?

  init(fault: Fault? = nil) {
    self.fault = fault
  }

  /// The clients are to finish what they are doing.
  var isOver: Bool { over.load(ordering: .acquiring) }

  func end() { over.store(true, ordering: .releasing) }

  /// Whether a request may stay without a response.
  var mayBeKilled: Bool { killed.load(ordering: .acquiring) }

  /// Before the server is killed.
  func announceKill() { killed.store(true, ordering: .releasing) }

  /// Before a fault begins, and after it has ended.
  func turn() { faults.wrappingAdd(1, ordering: .acquiringAndReleasing) }

  /// To be asked before a request, for ``hasHadFault(since:)`` after it.
  var moment: Int { faults.load(ordering: .acquiring) }

  /// Whether there was a fault at this moment or since.
  func hasHadFault(since moment: Int) -> Bool { moment % 2 == 1 || self.moment != moment }
}
