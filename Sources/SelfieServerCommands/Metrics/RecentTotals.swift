import Platform
import SelfieAPI
import SelfieOperations
import Synchronization

/// How much is stored, counted anew so seldom that it takes no more than a hundredth of a processor's time. Anybody who
/// reaches the metrics may ask for them again and again, and to count a million photos takes a tenth of a second.
final class RecentTotals: Sendable {
  private struct State {
    var totals: StoredTotals?
    /// In monotonic milliseconds, as is `restUntil`.
    var startedAt: Int64 = 0
    var restUntil: Int64 = 0
    var counting: Task<StoredTotals?, Never>?
  }

  private enum Step {
    case known(StoredTotals?)
    case counting(Task<StoredTotals?, Never>)
  }

  private static let restFactor: Int64 = 100
  /// Then the disk hangs, and the last totals are used.
  private static let timeout: Int64 = 2000

  private let application: Application
  private let state = Mutex(State())

  init(of application: Application) {
    self.application = application
  }

  /// Nil if they could never be counted.
  func totals() async -> StoredTotals? {
    let now = monotonicMilliseconds()
    switch state.withLock({ step(&$0, now: now) }) {
    case .known(let totals): return totals
    case .counting(let task): return await task.value
    }
  }

  private func step(_ state: inout State, now: Int64) -> Step {
    if let counting = state.counting {
      return now - state.startedAt < Self.timeout ? .counting(counting) : .known(state.totals)
    }
    guard now >= state.restUntil else { return .known(state.totals) }
    let counting = Task { await self.count() }
    state.startedAt = now
    state.counting = counting
    return .counting(counting)
  }

  private func count() async -> StoredTotals? {
    let totals = try? await StoredTotals.count(of: application)
    let now = monotonicMilliseconds()
    return state.withLock { state in
      state.counting = nil
      state.restUntil = now + (now - state.startedAt) * Self.restFactor
      state.totals = totals ?? state.totals
      return state.totals
    }
  }
}
