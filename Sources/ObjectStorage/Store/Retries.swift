import Cryptography
import Platform

// How often, and after which pauses, a request is sent again. Times are in milliseconds. ObjectStore.swift sends the
// request.
extension ObjectStore {
  private static let maxAttempts = 4
  /// The longest pause after the first attempt. It doubles with each further one.
  private static let firstPause: Int64 = 100
  /// After this time no other attempt begins.
  static let maxElapsed: Int64 = 20_000

  /// A day, so that the arithmetic cannot overflow.
  private static let maxRetryAfterSeconds: Int64 = 86_400

  /// The time until the next attempt; nil to give up. It is a random part of the longest pause, so that the clients of a
  /// store that was away do not all come back at the same instant.
  ///
  /// - Parameters:
  ///   - attempts: how many there were.
  ///   - elapsed: since the first one began.
  ///   - retryAfterSeconds: what the store has asked for. No attempt comes earlier.
  static func pause(
    afterAttempts attempts: Int, elapsed: Int64, retryAfterSeconds: Int64?, random: RandomSource
  ) -> Int64? {
    guard attempts < maxAttempts, elapsed < maxElapsed else { return nil }
    let asked = min(retryAfterSeconds ?? 0, maxRetryAfterSeconds) * 1000
    let pause = max(Int64(Double(firstPause << (attempts - 1)) * random.fraction()), asked)
    return elapsed + pause < maxElapsed ? pause : nil
  }
}

/// The date, and time that passes. In milliseconds.
struct RetryClock: Sendable {
  /// Since 1970.
  var now: @Sendable () -> Int64 = { unixMilliseconds() }
  /// Since some moment in the past. It never goes back.
  var uptime: @Sendable () -> Int64 = { monotonicMilliseconds() }
  /// Returns at once if its task is cancelled.
  var sleep: @Sendable (Int64) async -> Void = { try? await Task.sleep(for: .milliseconds($0)) }
}
