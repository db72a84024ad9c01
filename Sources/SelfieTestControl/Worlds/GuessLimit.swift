import Platform
import SelfieAPI

/// Bounds how often a secret can be guessed, from all addresses together: a table of addresses could be flushed from many
/// of them, and behind a proxy all clients have the same one.
final class GuessLimit: Sendable {
  /// Wrong guesses within the window after which no guess is looked at.
  static let maxFailures = AttemptCounts.maxFailures
  /// The window, in milliseconds.
  static let window = AttemptCounts.failureWindow

  private let failures = Monitor(SlidingWindow(maxEvents: maxFailures, window: window, maxKeys: 1))
  /// The window's only key.
  private static let secret = 0
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: a time in milliseconds that never goes back.
  init(clock: @escaping @Sendable () -> Int64) {
    self.clock = clock
  }

  enum Outcome: Equatable {
    case right, wrong
    /// The guess was not looked at. Another one may be made after so many milliseconds.
    case refused(wait: Int64)
  }

  func attempt(_ isRight: () -> Bool) -> Outcome {
    failures.withLock { failures in
      let now = clock()
      let wait = failures.wait(for: Self.secret, now: now)
      guard wait == 0 else { return .refused(wait: wait) }
      guard !isRight() else { return .right }
      failures.record(Self.secret, now: now)
      return .wrong
    }
  }
}
