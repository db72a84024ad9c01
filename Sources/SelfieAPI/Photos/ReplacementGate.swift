import Platform

/// Keeps what replaces everything that is stored apart from what changes single photos.
///
/// A photo comes in two steps, its file and its row, and goes in two. Whoever takes such steps does so beside others;
/// whoever replaces all photos waits until none is between two steps, and lets nobody begin meanwhile. First come,
/// first served, so that none waits for ever. Nobody waits for a client in here.
package final class ReplacementGate: Sendable {
  private enum Waiting {
    case beside(CheckedContinuation<Void, Never>)
    case alone(CheckedContinuation<Void, Never>)
  }

  private struct State {
    var beside = 0
    var isAlone = false
    var waiting: [Waiting] = []
    var generation = 0

    mutating func enter(_ isAlone: Bool) -> Bool {
      guard waiting.isEmpty, !self.isAlone, !isAlone || beside == 0 else { return false }
      if isAlone { self.isAlone = true } else { beside += 1 }
      return true
    }

    /// Those who may go on, now that somebody has left.
    mutating func admitted() -> [CheckedContinuation<Void, Never>] {
      var admitted: [CheckedContinuation<Void, Never>] = []
      while let first = waiting.first, !isAlone {
        switch first {
        case .beside(let continuation):
          beside += 1
          admitted.append(continuation)
        case .alone(let continuation):
          guard beside == 0 else { return admitted }
          isAlone = true
          admitted.append(continuation)
        }
        waiting.removeFirst()
      }
      return admitted
    }
  }

  private let state = Monitor(State())

  /// How often everything was replaced: what was read under another number says nothing about what is there now.
  package var generation: Int { state.withLock { $0.generation } }

  /// Runs `body` beside others like it.
  ///
  /// - Parameter generation: the one that `body` counts on; nil for any.
  /// - Throws: `StorageReplaced` when that is over.
  package func beside<Result>(
    since generation: Int? = nil, _ body: () async throws -> Result
  ) async throws -> Result {
    await enter(isAlone: false)
    defer {
      leave { $0.beside -= 1 }
    }
    guard generation == nil || generation == self.generation else { throw StorageReplaced() }
    return try await body()
  }

  /// Runs `body` while nobody else is in here.
  ///
  /// - Parameter replaces: whether it may leave nothing as it was.
  package func alone<Result>(replaces: Bool, _ body: () async throws -> Result) async throws -> Result {
    await enter(isAlone: true)
    defer {
      leave {
        $0.isAlone = false
        if replaces { $0.generation += 1 }
      }
    }
    return try await body()
  }

  private func enter(isAlone: Bool) async {
    if state.withLock({ $0.enter(isAlone) }) { return }
    await withCheckedContinuation { continuation in
      let isIn = state.withLock { state in
        if state.enter(isAlone) { return true }
        state.waiting.append(isAlone ? .alone(continuation) : .beside(continuation))
        return false
      }
      if isIn { continuation.resume() }
    }
  }

  private func leave(_ change: (inout State) -> Void) {
    let admitted = state.withLock { state in
      change(&state)
      return state.admitted()
    }
    for continuation in admitted { continuation.resume() }
  }
}

/// Everything was replaced while a request was under way that counted on what was there before.
package struct StorageReplaced: Error {}
