import Platform

/// Bounds how often a secret can be guessed, from all addresses together: a table of addresses could be flushed from many
/// of them, and behind a proxy all clients have the same one.
final class GuessLimit: Sendable {
  /// Wrong guesses within the window after which no guess is looked at.
  static let maxFailures = 10
  /// The window, in milliseconds.
  static let window: Int64 = 180_000

  /// The times of the wrong guesses within the window, oldest first.
  private let failures = Monitor<[Int64]>([])
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
      failures.removeAll { now - $0 >= Self.window }
      if failures.count >= Self.maxFailures, let oldest = failures.first {
        return .refused(wait: oldest + Self.window - now)
      }
      guard !isRight() else { return .right }
      failures.append(now)
      return .wrong
    }
  }
}
