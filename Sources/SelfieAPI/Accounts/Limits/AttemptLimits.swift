import HTTPMessages
import Platform
import Synchronization

/// Slows down clients that try one secret, or one email address, after another. Each process of a cluster counts alone.
/// `AttemptCounts` has the numbers.
package final class AttemptLimits: Sendable {
  fileprivate let counts = Monitor(AttemptCounts())
  fileprivate let refusals = Atomic<Int64>(0)
  fileprivate let log: SecurityLog
  fileprivate let clock: @Sendable () -> Int64
  private let limitsFailures: Bool
  private let limitsSignups: Bool

  /// - Parameter clock: monotonic milliseconds.
  init(
    limitsFailures: Bool, limitsSignups: Bool, log: SecurityLog, clock: @escaping @Sendable () -> Int64
  ) {
    self.limitsFailures = limitsFailures
    self.limitsSignups = limitsSignups
    self.log = log
    self.clock = clock
  }

  /// The number of attempts that were refused since the start: wrong passwords, unknown addresses, and those above the
  /// limit.
  package var refusedCount: Int64 { refusals.load(ordering: .relaxed) }

  /// An attempt by the client of a request. For each secret, the limit is asked once: by `check`, `fail` or `tried`.
  ///
  /// - Parameter account: whose password it is about; nil for the API's own.
  func attempt(by call: Call, on account: AttemptCounts.Key? = nil) -> LoginAttempt {
    let keys =
      limitsFailures ? call.client.groups.map(AttemptCounts.Key.client) + [account].compactMap(\.self) : []
    return LoginAttempt(call: call, account: account, keys: keys, limits: self)
  }

  /// Counts a sign-up by the client of a request.
  ///
  /// - Returns: the flow in which its password is hashed. It is of a kind of its own, so that sign-ups do not hold up
  ///   sign-ins.
  /// - Throws: 429 after too many.
  func countSignup(by call: Call) throws -> Flow {
    let keys = limitsSignups ? call.client.groups.map(AttemptCounts.Key.signup) : []
    let wait = counts.withLock { $0.recordIfAllowed(keys, now: clock()) }
    guard wait == 0 else {
      log.log(.refusedSignup, by: call)
      throw APIError.tooMany("sign-ups", wait: wait, reason: .tooManySignups)
    }
    return call.client.flow(kind: 1)
  }

  func forget(_ account: AttemptCounts.Key) { counts.withLock { $0.forget(account) } }

  package func forgetAll() { counts.withLock { $0 = AttemptCounts() } }
}

/// One attempt at a secret. Its functions may be called on any thread.
struct LoginAttempt: Sendable {
  fileprivate let call: Call
  /// Nil for an attempt at the API's own password.
  fileprivate let account: AttemptCounts.Key?
  /// Empty if the limit is off.
  fileprivate let keys: [AttemptCounts.Key]
  fileprivate let limits: AttemptLimits

  /// The flow in which the password is checked, so that no client holds up the others.
  var flow: Flow { call.client.flow(orOf: knownAccount) }

  /// - Throws: 429 after too many failures.
  func check() throws {
    try require(wait: limits.counts.withLock { $0.wait(for: keys, now: limits.clock()) })
  }

  /// Counts the attempt as failed.
  ///
  /// - Parameter event: for the log; nil for the one that follows from the account.
  /// - Throws: 429 after too many failures.
  func fail(_ event: SecurityEvent? = nil) throws {
    try require(wait: limits.counts.withLock { $0.recordIfAllowed(keys, now: limits.clock()) })
    refuse(event ?? ownEvent)
  }

  /// Looks for the right one of some passwords, which takes long, and counts the attempt as failed if there is none. A
  /// right one clears the failures on the account, which were probably its owner's.
  ///
  /// No more attempts are under way at once than may fail yet. Others block meanwhile: with a right password they are
  /// not to be refused.
  ///
  /// - Throws: 429 after too many failures.
  func tried(_ search: () -> Int?) throws -> Int? {
    try require(wait: limits.counts.wait { $0.begin(keys, now: limits.clock()) })
    let found = search()
    limits.counts.withLock { counts in
      counts.end(keys, hasFailed: found == nil, now: limits.clock())
      if found != nil, let account { counts.forget(account) }
    }
    limits.counts.notifyAll()
    if found == nil { refuse(ownEvent) }
    return found
  }

  private func require(wait: Int64) throws {
    guard wait > 0 else { return }
    refuse(.refusedGuess)
    throw APIError.tooMany("failed attempts", wait: wait, reason: .tooManyAttempts)
  }

  private var ownEvent: SecurityEvent {
    account == nil ? .wrongAPIPassword : knownAccount == nil ? .unknownAccount : .wrongPassword
  }

  private func refuse(_ event: SecurityEvent) {
    limits.refusals.add(1, ordering: .relaxed)
    limits.log.log(event, by: call, on: knownAccount)
  }

  private var knownAccount: SecurityLog.Account? {
    if case .account(let known)? = account { known } else { nil }
  }
}
