import Platform

/// Who is in a world, so that it ends after the last has left.
final class Attendance: Sendable {
  private struct State {
    var present = 0
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?

    mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
      defer { waiting = nil }
      return waiting
    }
  }

  private let state = Monitor(State())

  /// Whoever has come in leaves once.
  ///
  /// - Returns: false when nobody may come in any more.
  func enter() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.present += 1
      return true
    }
  }

  func leave() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.present -= 1
      return state.present == 0 ? state.takeWaiting() : nil
    }
    waiting?.resume()
  }

  /// Lets nobody in any more.
  func close() {
    state.withLock { $0.isOver = true }
  }

  /// Returns when all have left, or when the time is over. For one only, after ``close()``.
  func empty(within time: Duration) async {
    let timer = Task {
      guard (try? await Task.sleep(for: time)) != nil else { return }
      endWaiting()
    }
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        guard state.present > 0 else { return false }
        state.waiting = continuation
        return true
      }
      if !isWaiting { continuation.resume() }
    }
    timer.cancel()
  }

  private func endWaiting() {
    state.withLock { $0.takeWaiting() }?.resume()
  }
}
