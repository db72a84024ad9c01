import Synchronization

/// Counts the actions of users, and of clients that guess their passwords, since the start. All threads share the
/// counters: these requests wait for a hash or for the disk, and are rare next to others. `RequestCounts` in
/// SelfieServer counts requests by route.
package final class ActivityCounters: Sendable {
  package enum Activity: Int, CaseIterable, Sendable {
    case signIn, signUp, upload
  }

  package enum Outcome: Int, CaseIterable, Sendable {
    case succeeded, wrongPassword, unknownAccount, tooManyAttempts
    /// For another reason that the client can do something about, or because it disconnected.
    case refused
    /// The server could not do it.
    case failed
  }

  private let counts = Mutex(Array(repeating: 0, count: Activity.allCases.count * Outcome.allCases.count))
  private let storedBytes = Atomic<Int64>(0)

  func count(_ activity: Activity, _ outcome: Outcome) {
    counts.withLock { $0[Self.index(activity, outcome)] += 1 }
  }

  func count(uploadedBytes: Int64) {
    storedBytes.wrappingAdd(uploadedBytes, ordering: .relaxed)
  }

  package subscript(activity: Activity, outcome: Outcome) -> Int {
    counts.withLock { $0[Self.index(activity, outcome)] }
  }

  /// Of the photos that were stored.
  package var uploadedBytes: Int64 { storedBytes.load(ordering: .relaxed) }

  private static func index(_ activity: Activity, _ outcome: Outcome) -> Int {
    activity.rawValue * Outcome.allCases.count + outcome.rawValue
  }
}
