import Platform

/// Counts failed attempts to guess a secret in a sliding window, for each account and each address. Its memory is
/// bounded: the oldest failures are forgotten first.
final class FailureCounter: Sendable {
  /// Failures within the window after which the next attempt has to wait.
  static let maxFailures = 10
  /// The window, in milliseconds.
  static let window: Int64 = 180_000
  /// The limit for each of the two generations of keys; both together take about four megabytes when full.
  static let maxKeysPerGeneration = 16_384

  /// What failures are counted for.
  enum Key: Hashable, Sendable {
    case account(String)
    case address(ClientAddress.Group)
  }

  /// The times of the last failures, in no order; `Int64.min` where there was none.
  private struct Failures {
    private var times = [Int64](repeating: .min, count: FailureCounter.maxFailures)

    mutating func add(_ now: Int64) {
      guard let oldest = times.indices.min(by: { times[$0] < times[$1] }) else { return }
      times[oldest] = now
    }

    /// How long until the oldest leaves the window; 0 if there are fewer than `maxFailures` in it.
    func wait(now: Int64) -> Int64 {
      guard let oldest = times.min(), oldest != .min else { return 0 }
      return max(0, oldest &+ FailureCounter.window &- now)
    }
  }

  private struct State {
    var current: [Int: Failures] = [:]
    var previous: [Int: Failures] = [:]
    var generationStart: Int64 = 0
  }

  private let state = Monitor(State())

  /// How long, in milliseconds, until another attempt is allowed; 0 if it is allowed now.
  func wait(for keys: [Key], now: Int64) -> Int64 {
    state.withLock { state in
      keys.map { key in
        (state.current[key.hashValue] ?? state.previous[key.hashValue])?.wait(now: now) ?? 0
      }.max() ?? 0
    }
  }

  /// Counts a failure for each of the keys.
  func record(_ keys: [Key], now: Int64) {
    state.withLock { state in
      for key in keys {
        Self.rotate(&state, now: now)
        // The hash has another seed in each process, so nobody can choose names that collide.
        let hash = key.hashValue
        var failures = state.current[hash] ?? state.previous[hash] ?? Failures()
        failures.add(now)
        state.current[hash] = failures
      }
    }
  }

  /// Forgets the failures of a key.
  func reset(_ key: Key) {
    state.withLock { state in
      state.current[key.hashValue] = nil
      state.previous[key.hashValue] = nil
    }
  }

  /// Forgets all failures.
  func resetAll() {
    state.withLock { $0 = State() }
  }

  /// Begins another generation when the current one is older than the window or full. What the previous one held by then
  /// has left the window, or is the oldest of too much.
  private static func rotate(_ state: inout State, now: Int64) {
    guard now &- state.generationStart >= window || state.current.count >= maxKeysPerGeneration else { return }
    state.previous = now &- state.generationStart >= 2 * window ? [:] : state.current
    state.current = [:]
    state.generationStart = now
  }
}
