import Platform

/// Counts a world's requests in flight, so that the world is closed only after the last one has ended.
final class InFlightRequests: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
    var waiting: CheckedContinuation<Void, Never>?

    mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
      defer { waiting = nil }
      return waiting
    }
  }

  private let state = Monitor(State())

  /// Counts a request, which must call ``end()`` once; false after ``close()``.
  func begin() -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.count += 1
      return true
    }
  }

  func end() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.count -= 1
      return state.count == 0 ? state.takeWaiting() : nil
    }
    waiting?.resume()
  }

  /// Refuses further requests.
  func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Returns when all requests have ended, or after `timeout`. To be called once, after ``close()``.
  func drain(timeout: Duration) async {
    let timer = Task {
      guard (try? await Task.sleep(for: timeout)) != nil else { return }
      state.withLock { $0.takeWaiting() }?.resume()
    }
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        guard state.count > 0 else { return false }
        state.waiting = continuation
        return true
      }
      if !isWaiting { continuation.resume() }
    }
    timer.cancel()
  }
}
