import HTTPMessages
import Platform
import Synchronization

/// Slows down clients that try one secret, or one email address, after another. Each process of a cluster counts alone.
package final class AttemptLimits: Sendable {
  fileprivate let counts = Monitor(AttemptCounts())
  fileprivate let refusals = Atomic<Int64>(0)
  fileprivate let log: SecurityLog
  fileprivate let clock: @Sendable () -> Int64
  fileprivate let proxies: TrustedProxies
  private let limitsFailures: Bool
  private let limitsSignups: Bool

  /// - Parameter clock: monotonic milliseconds.
  init(
    limitsFailures: Bool, limitsSignups: Bool, proxies: TrustedProxies, log: SecurityLog,
    clock: @escaping @Sendable () -> Int64
  ) {
    self.limitsFailures = limitsFailures
    self.limitsSignups = limitsSignups
    self.proxies = proxies
    self.log = log
    self.clock = clock
  }

  /// The number of attempts that were refused since the start: wrong passwords, unknown addresses, and those above the
  /// limit.
  package var refusedCount: Int64 { refusals.load(ordering: .relaxed) }

  /// An attempt by the client of a request.
  ///
  /// - Parameter account: whose password it is about; nil for the API's own.
  func attempt(by request: Request, on account: AttemptCounts.Key? = nil) -> LoginAttempt {
    let keys =
      limitsFailures ? groups(of: request).map(AttemptCounts.Key.client) + [account].compactMap(\.self) : []
    return LoginAttempt(request: request, account: account, keys: keys, limits: self)
  }

  /// Counts a sign-up by the client of a request.
  ///
  /// - Returns: the turn in which its password is hashed. It is of a kind of its own, so that sign-ups do not hold up
  ///   sign-ins.
  /// - Throws: 429 after too many.
  func countSignup(by request: Request) throws -> Turn {
    let keys = limitsSignups ? groups(of: request).map(AttemptCounts.Key.signup) : []
    let now = clock()
    let wait = counts.withLock { counts in
      let wait = counts.wait(for: keys, now: now)
      if wait == 0 { counts.record(keys, now: now) }
      return wait
    }
    guard wait == 0 else {
      log.log(.refusedSignup, by: request)
      throw APIError.tooMany("sign-ups", wait: wait, reason: .tooManySignups)
    }
    return Turn(kind: 1, client: Client.number(of: request, trusting: proxies))
  }

  func forget(_ account: AttemptCounts.Key) { counts.withLock { $0.forget(account) } }

  package func forgetAll() { counts.withLock { $0 = AttemptCounts() } }

  private func groups(of request: Request) -> [Client.Group] {
    Client(of: request, trusting: proxies)?.groups ?? []
  }
}

/// One attempt at a secret. Its functions may be called on any thread.
struct LoginAttempt: Sendable {
  fileprivate let request: Request
  /// Nil for an attempt at the API's own password.
  fileprivate let account: AttemptCounts.Key?
  /// Empty if the limit is off.
  fileprivate let keys: [AttemptCounts.Key]
  fileprivate let limits: AttemptLimits

  /// The turn in which the password is checked, so that no client holds up the others.
  var turn: Turn {
    Turn(kind: 0, client: Client.number(of: request, trusting: limits.proxies, orOf: knownAccount))
  }

  /// - Throws: 429 after too many failures.
  func check() throws {
    let wait = limits.counts.withLock { $0.wait(for: keys, now: limits.clock()) }
    guard wait > 0 else { return }
    refuse(.refusedGuess)
    throw APIError.tooMany("failed attempts", wait: wait, reason: .tooManyAttempts)
  }

  /// Counts the attempt as failed.
  ///
  /// - Parameter event: for the log; nil for the one that follows from the account.
  func fail(_ event: SecurityEvent? = nil) {
    limits.counts.withLock { $0.record(keys, now: limits.clock()) }
    refuse(event ?? (account == nil ? .wrongAPIPassword : knownAccount == nil ? .unknownAccount : .wrongPassword))
  }

  /// Clears the failures on the account: the password was right, so they were probably its owner's.
  func succeed() {
    if let account { limits.forget(account) }
  }

  private func refuse(_ event: SecurityEvent) {
    limits.refusals.add(1, ordering: .relaxed)
    limits.log.log(event, by: request, on: knownAccount)
  }

  private var knownAccount: SecurityLog.Account? {
    if case .account(let known)? = account { known } else { nil }
  }
}
