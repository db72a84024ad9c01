/// Finds a value for many callers: those who ask at the same time share one search, and its result is used for a while.
/// `ReadCache` in SelfieAPI keeps what was read until it changes.
package final class SharedProbe<Value: Sendable>: Sendable {
  private struct State {
    var search: Task<Value, Never>?
    /// When the last search began; nil before the first. All times are in milliseconds.
    var startedAt: Int64?
    var found: Value?
    /// For how long after its beginning the result is used.
    var lifetime: Int64 = 0
  }

  private enum Step {
    case known(Value)
    case searching(Task<Value, Never>)
  }

  private let patience: Int64
  private let clock: @Sendable () -> Int64
  private let lifetime: @Sendable (_ duration: Int64) -> Int64
  private let state = Monitor(State())

  /// - Parameters:
  ///   - patience: how long callers may join a search, in milliseconds after its beginning.
  ///   - clock: in milliseconds. It must never stand still: a result would be used for ever.
  ///   - lifetime: for how long the result of a search is used, in milliseconds after its beginning, by how long it took.
  package init(
    patience: Int64, clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds,
    lifetime: @escaping @Sendable (_ duration: Int64) -> Int64
  ) {
    self.patience = patience
    self.clock = clock
    self.lifetime = lifetime
  }

  /// - Parameters:
  ///   - late: the value for callers who may not join the search that runs. Gets the last result.
  ///   - find: searches. Gets the last result.
  package func value(
    orLate late: (Value?) -> Value, by find: @escaping @Sendable (Value?) async -> Value
  ) async -> Value {
    let now = clock()
    let step = state.withLock { state -> Step in
      let age = state.startedAt.map { now &- $0 } ?? 0
      if let search = state.search { return age < patience ? .searching(search) : .known(late(state.found)) }
      // The age is negative if the clock was put back; the last result is not used then.
      if let found = state.found, age >= 0, age < state.lifetime { return .known(found) }
      let search = Task { [last = state.found] in end(await find(last), after: clock() &- now) }
      (state.search, state.startedAt) = (search, now)
      return .searching(search)
    }
    switch step {
    case .known(let value): return value
    case .searching(let search): return await search.value
    }
  }

  private func end(_ found: Value, after duration: Int64) -> Value {
    state.withLock { state in (state.search, state.found, state.lifetime) = (nil, found, lifetime(duration)) }
    return found
  }
}
