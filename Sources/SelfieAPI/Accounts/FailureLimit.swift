import Platform

/// Counts failed attempts to guess a secret, for each account and each address, and says when there
/// have been too many. Memory is bounded: the oldest are forgotten first.
package final class FailureLimit: Sendable {
  /// How many failures there may be within the window.
  static let most = 10
  /// The window, in milliseconds.
  static let window: Int64 = 180_000
  /// Keys in each of the two generations that are kept: about four megabytes when all are in use.
  static let keysPerGeneration = 16_384

  /// Who or what is being guessed at.
  enum Key: Hashable, Sendable {
    case account(String)
    case address(ClientAddress.Group)
  }

  /// When the last failures were, in no order; 0 is never.
  private struct Failures {
    private var times = [Int64](repeating: .min, count: FailureLimit.most)

    mutating func add(_ now: Int64) {
      guard let oldest = times.indices.min(by: { times[$0] < times[$1] }) else { return }
      times[oldest] = now
    }

    /// How long until one of them leaves the window; 0 when there is room already.
    func wait(now: Int64) -> Int64 {
      guard let oldest = times.min(), oldest != .min else { return 0 }
      return max(0, oldest &+ FailureLimit.window &- now)
    }
  }

  private struct State {
    var current: [Int: Failures] = [:]
    var previous: [Int: Failures] = [:]
    var generationStart: Int64 = 0
  }

  private let state = Monitor(State())

  /// How long, in milliseconds, until another attempt is welcome; 0: now.
  func wait(for keys: [Key], now: Int64) -> Int64 {
    state.withLock { state in
      keys.map { key in
        (state.current[key.hashValue] ?? state.previous[key.hashValue])?.wait(now: now) ?? 0
      }.max() ?? 0
    }
  }

  /// Counts a failure.
  func record(_ keys: [Key], now: Int64) {
    state.withLock { state in
      for key in keys {
        Self.renew(&state, now: now)
        // The hash is seeded anew in each process, so that nobody can choose names that collide.
        let hash = key.hashValue
        var failures = state.current[hash] ?? state.previous[hash] ?? Failures()
        failures.add(now)
        state.current[hash] = failures
      }
    }
  }

  /// Forgets the failures of somebody who has shown to know the secret.
  func forgive(_ key: Key) {
    state.withLock { state in
      state.current[key.hashValue] = nil
      state.previous[key.hashValue] = nil
    }
  }

  /// Forgets everybody's failures.
  package func forgetAll() {
    state.withLock { $0 = State() }
  }

  /// Whatever is in the previous generation when another begins is older than the window, or the
  /// oldest of too many.
  private static func renew(_ state: inout State, now: Int64) {
    guard now &- state.generationStart >= window || state.current.count >= keysPerGeneration else { return }
    // The clock of a test may have been turned back.
    state.previous = now &- state.generationStart >= 2 * window ? [:] : state.current
    state.current = [:]
    state.generationStart = now
  }
}
