/// A read-write lock for async code: many tasks share it, or one task has it exclusively. Threads use a `Monitor`.
///
/// Tasks get the lock in the order in which they ask for it, so that none waits for ever. A task must not ask for it
/// again while it has it.
package final class AsyncReadWriteLock: Sendable {
  private struct State {
    var shared = 0
    var isExclusive = false
    var waiting: [(exclusively: Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// False if the lock cannot be had now.
    mutating func acquire(exclusively: Bool) -> Bool {
      guard !isExclusive, shared == 0 || !exclusively else { return false }
      if exclusively { isExclusive = true } else { shared += 1 }
      return true
    }

    /// Resumes the tasks that have the lock from now on. They run on their own executors.
    mutating func admit() {
      while let first = waiting.first, acquire(exclusively: first.exclusively) {
        first.continuation.resume()
        waiting.removeFirst()
      }
    }
  }

  private let state = Monitor(State())

  package init() {}

  /// Whether a task shares it now.
  package var isShared: Bool { state.withLock { $0.shared > 0 } }

  /// Runs `body` while no task has the lock exclusively.
  package func withShared<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await acquire(exclusively: false)
    defer { release(exclusively: false) }
    return try await body()
  }

  /// Runs `body` while no other task has the lock.
  package func withExclusive<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await acquire(exclusively: true)
    defer { release(exclusively: true) }
    return try await body()
  }

  private func acquire(exclusively: Bool) async {
    // Without a continuation if no task waits, as is usual.
    if state.withLock({ $0.waiting.isEmpty && $0.acquire(exclusively: exclusively) }) { return }
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.waiting.append((exclusively, continuation))
        state.admit()
      }
    }
  }

  private func release(exclusively: Bool) {
    state.withLock { state in
      if exclusively { state.isExclusive = false } else { state.shared -= 1 }
      state.admit()
    }
  }
}
