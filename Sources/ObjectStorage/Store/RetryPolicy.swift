import Cryptography

/// How often, and after which pauses, a request is sent again.
public struct RetryPolicy: Sendable {
  public var maxAttempts = 4
  /// Milliseconds that the first pause takes at most. The maximum doubles with each attempt, up to `maxPause`.
  public var maxFirstPause: Int64 = 100
  public var maxPause: Int64 = 5_000
  /// Milliseconds after which no other attempt begins.
  public var maxElapsed: Int64 = 20_000

  public init() {}

  /// Milliseconds until the next attempt; nil to give up.
  ///
  /// A pause is anything between nothing and its maximum ("full jitter"). Otherwise the clients of a store that was
  /// away would all come back at once.
  ///
  /// - Parameters:
  ///   - attempts: how many there were.
  ///   - elapsed: milliseconds since the first one began.
  ///   - retryAfterSeconds: what the store has asked for. No attempt comes earlier.
  func pause(afterAttempts attempts: Int, elapsed: Int64, retryAfterSeconds: Int64?, random: RandomSource) -> Int64? {
    guard attempts < maxAttempts, elapsed < maxElapsed else { return nil }
    let maximum = min(maxPause, maxFirstPause << Int64(min(max(0, attempts - 1), 20)))
    let number = random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // The remainder makes some pauses more likely by a part in 10^15.
    let jitter = Int64(number % UInt64(max(0, maximum) + 1))
    let asked = min(retryAfterSeconds ?? 0, Self.maxRetryAfterSeconds) * 1000
    let pause = max(jitter, asked)
    return elapsed + pause < maxElapsed ? pause : nil
  }

  /// A day, so that the arithmetic cannot overflow.
  private static let maxRetryAfterSeconds: Int64 = 86_400
}
