import Synchronization
import TestSupport

/// What the clients of one load must know of what is done to the server meanwhile.
final class Stage: Sendable, CustomStringConvertible {
  private let over = Atomic(false)
  private let killed = Atomic(false)
  /// Grows by one when a fault begins, and when it ends: odd while it is there.
  private let faults = Atomic(0)
  let fault: Fault?
  /// Nil where there is a single server, and no balancer before it.
  let clusterFault: ClusterFault?

  /// - Parameter clusterFault: of a cluster, any of whose processes may be killed.
  init(fault: Fault? = nil, clusterFault: ClusterFault? = nil) {
    (self.fault, self.clusterFault) = (fault, clusterFault)
    if clusterFault != nil { announceKill() }
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

  /// To be asked before a request, for ``refusal(_:of:since:)`` after it.
  var moment: Int { faults.load(ordering: .acquiring) }

  /// What an error means for the write that it answers; nil if clients must not be told it.
  func refusal(_ response: RawResponse, of operation: Operation, since moment: Int) -> Refusal? {
    if let clusterFault { return clusterFault.refusal(response, needs: operation == .upload ? .objects : .rows) }
    // What was refused because a sync has failed may be there after a restart.
    let hasHadFault = moment % 2 == 1 || self.moment != moment
    return hasHadFault && fault?.excuses(response) == true ? .unsure : nil
  }

  var description: String {
    (fault?.description ?? clusterFault?.description).map { "around the fault \"\($0)\"" } ?? "without any fault"
  }
}

/// What became of a write that was answered by an error.
enum Refusal {
  /// It has not happened, and never will.
  case final
  /// It may have happened, or may come back.
  case unsure
}
