import HTTPMessages
import Synchronization

/// Slows down clients that try one secret after another. Each process of a cluster counts alone.
package struct LoginThrottle: Sendable {
  /// Failures within the window after which the next attempt has to wait.
  package static let maxFailures = 10
  /// In milliseconds.
  package static let window: Int64 = 180_000

  /// Nil if the owner has switched the limit off.
  let failures: AttemptCounter?
  let clock: @Sendable () -> Int64
  let refusals = Refusals()
  let log: SecurityLog
  private let proxies: TrustedProxies

  /// How many attempts were refused since the start: wrong passwords, unknown addresses, and what came beyond the limit.
  var refusedCount: Int64 { refusals.count.load(ordering: .relaxed) }

  /// - Parameter clock: monotonic milliseconds. By the date, a clock that is set back would lock clients out for as long.
  init(isOn: Bool, proxies: TrustedProxies, log: SecurityLog, clock: @escaping @Sendable () -> Int64) {
    failures = isOn ? AttemptCounter(maxAttempts: Self.maxFailures, window: Self.window) : nil
    self.proxies = proxies
    self.log = log
    self.clock = clock
  }

  /// An attempt by the client of a request.
  ///
  /// - Parameter account: whose password it is about; nil for the API's own.
  func attempt(by request: Request, on account: TriedAccount? = nil) -> LoginAttempt {
    let groups = failures == nil ? [] : Client(of: request, trusting: proxies)?.groups ?? []
    let keys = groups.map(AttemptCounter.Key.client) + [account?.key].compactMap(\.self)
    return LoginAttempt(request: request, account: account, keys: keys, throttle: self)
  }

  /// Forgets the failures on an account.
  func reset(_ account: TriedAccount) { failures?.reset(account.key) }

  /// Forgets all failures.
  func resetAll() { failures?.resetAll() }
}

/// Counts refused attempts.
final class Refusals: Sendable {
  let count = Atomic<Int64>(0)
}
