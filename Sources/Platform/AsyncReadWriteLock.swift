/// A read-write lock for async code: many tasks share it, or one task has it exclusively.
///
/// Tasks get the lock in the order in which they ask for it, so that none waits for ever. A task must not ask for it
/// again while it has it.
package final class AsyncReadWriteLock: Sendable {
  private enum Mode {
    case shared, exclusive
  }

  private struct State {
    var shared = 0
    var isExclusive = false
    var waiting: [(mode: Mode, continuation: CheckedContinuation<Void, Never>)] = []

    /// False if the lock cannot be had in this mode now.
    mutating func acquire(_ mode: Mode) -> Bool {
      switch mode {
      case .shared where !isExclusive: shared += 1
      case .exclusive where !isExclusive && shared == 0: isExclusive = true
      default: return false
      }
      return true
    }

    /// The tasks that have the lock from now on.
    mutating func admit() -> [CheckedContinuation<Void, Never>] {
      var admitted: [CheckedContinuation<Void, Never>] = []
      while let first = waiting.first, acquire(first.mode) {
        admitted.append(first.continuation)
        waiting.removeFirst()
      }
      return admitted
    }
  }

  private let state = Monitor(State())

  package init() {}

  /// Runs `body` while no task has the lock exclusively.
  package func withShared<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await acquire(.shared)
    defer { release(.shared) }
    return try await body()
  }

  /// Runs `body` while no other task has the lock.
  package func withExclusive<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await acquire(.exclusive)
    defer { release(.exclusive) }
    return try await body()
  }

  private func acquire(_ mode: Mode) async {
    // Without a continuation if nobody waits, as is usual.
    if state.withLock({ $0.waiting.isEmpty && $0.acquire(mode) }) { return }
    await withCheckedContinuation { continuation in
      let admitted = state.withLock { state in
        state.waiting.append((mode, continuation))
        return state.admit()
      }
      for continuation in admitted { continuation.resume() }
    }
  }

  private func release(_ mode: Mode) {
    let admitted = state.withLock { state in
      switch mode {
      case .shared: state.shared -= 1
      case .exclusive: state.isExclusive = false
      }
      return state.admit()
    }
    for continuation in admitted { continuation.resume() }
  }
}
