import Platform

/// Lets a few lists at once be fetched from a shared database. How many bytes their rows have is known, and counted,
/// only when they have come, and a list may have ten megabytes.
///
/// Lists are fetched in the order in which they were asked for.
final class ListFetches: Sendable {
  static let maxAtOnce = 8

  private struct State {
    var running = 0
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let state = Monitor(State())

  /// How many wait for another one to end.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// - Parameter fetch: returns once the rows are counted.
  func run<Result>(_ fetch: () async throws -> Result) async throws -> Result {
    await begin()
    defer { end() }
    return try await fetch()
  }

  private func begin() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let mayRun = state.withLock { state -> Bool in
        guard state.running < Self.maxAtOnce else {
          state.waiting.append(continuation)
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
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.running -= 1
      return nil
    }
    next?.resume()
  }
}
