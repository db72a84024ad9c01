import Platform

/// Lets a few pages at once be fetched from a shared database, in turns by client. How many bytes a page has is known
/// only when it has come, and it may have two megabytes.
final class PageFetches: Sendable {
  static let maxAtOnce = 8

  private struct State {
    var running = 0
    var waiting = FairQueue<UnsafeContinuation<Void, Never>>()
  }

  private let state = Monitor(State())

  /// The number of fetches that wait for another one to end.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// - Throws: `CancellationError` if the task was cancelled before its turn, or the error of `fetch`.
  func run<Result>(_ turn: Turn, _ fetch: () async throws -> Result) async throws -> Result {
    await begin(turn)
    defer { end() }
    try Task.checkCancellation()
    return try await fetch()
  }

  private func begin(_ turn: Turn) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let mayRun = state.withLock { state -> Bool in
        guard state.running < Self.maxAtOnce else {
          state.waiting.append(continuation, turn)
          return false
        }
        state.running += 1
        return true
      }
      if mayRun { continuation.resume() }
    }
  }

  /// The next one takes the place of the one that ends.
  private func end() {
    let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      if let next = state.waiting.next() { return next }
      state.running -= 1
      return nil
    }
    next?.resume()
  }
}
