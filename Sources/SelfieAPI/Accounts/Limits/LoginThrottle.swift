import HTTPMessages
import Synchronization

/// Slows down clients that try one secret after another.
package struct LoginThrottle: Sendable {
  /// Failures within the window after which the next attempt has to wait.
  package static let maxFailures = 10
  /// In milliseconds.
  package static let window: Int64 = 180_000

  /// Whose password is tried.
  enum Target {
    case user(Int64)
    case microblogUser(Int64)
    /// Nobody's, since no account has this email address or name.
    case unknown(email: String)
  }

  /// Nil if the owner has switched the limit off.
  private let failures: AttemptCounter?
  private let proxies: TrustedProxies
  private let clock: @Sendable () -> Int64
  private let refusals = Refusals()
  private let log: SecurityLog

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
  /// - Parameter target: nil for an attempt at the API's own password.
  func attempt(by request: Request, on target: Target? = nil) -> LoginAttempt {
    guard let failures else {
      return LoginAttempt(
        request: request, target: target, failures: nil, keys: [], account: nil, clock: clock, refusals: refusals,
        log: log)
    }
    let account: AttemptCounter.Key? =
      switch target {
      case .user(let id): .account(id)
      case .microblogUser(let id): .microblogAccount(id)
      case .unknown(let email): .unknown(Array(email.utf8))
      case nil: nil
      }
    let clients = Client(of: request, trusting: proxies)?.groups.map(AttemptCounter.Key.client) ?? []
    let keys = clients + [account].compactMap(\.self)
    return LoginAttempt(
      request: request, target: target, failures: failures, keys: keys, account: account, clock: clock,
      refusals: refusals, log: log)
  }

  /// Forgets the failures on a user's account.
  func reset(user id: Int64) { failures?.reset(.account(id)) }

  /// Forgets all failures.
  func resetAll() { failures?.resetAll() }
}

/// One attempt at a secret.
struct LoginAttempt: Sendable {
  fileprivate let request: Request
  fileprivate let target: LoginThrottle.Target?
  fileprivate let failures: AttemptCounter?
  fileprivate let keys: [AttemptCounter.Key]
  fileprivate let account: AttemptCounter.Key?
  fileprivate let clock: @Sendable () -> Int64
  fileprivate let refusals: Refusals
  fileprivate let log: SecurityLog

  /// - Throws: 429 after too many failures.
  func check() throws {
    guard let failures else { return }
    let wait = failures.wait(for: keys, now: clock())
    guard wait == 0 else {
      refusals.count.add(1, ordering: .relaxed)
      log.log(.refusedGuess, by: request, on: loggedAccount)
      throw APIError.tooMany("failed attempts", wait: wait, reason: "too_many_attempts")
    }
  }

  /// Counts the attempt as failed.
  ///
  /// - Parameter event: what the log says of it; nil for what follows from the target.
  func fail(_ event: SecurityEvent? = nil) {
    refusals.count.add(1, ordering: .relaxed)
    failures?.record(keys, now: clock())
    log.log(event ?? failure, by: request, on: loggedAccount)
  }

  private var failure: SecurityEvent {
    switch target {
    case .user, .microblogUser: .wrongPassword
    case .unknown: .unknownAccount
    case nil: .wrongAPIPassword
    }
  }

  private var loggedAccount: SecurityLog.Account? {
    switch target {
    case .user(let id): .user(id)
    case .microblogUser(let id): .microblogUser(id)
    case .unknown, nil: nil
    }
  }

  /// The password was right, so earlier failures on this account were probably its owner's. Clears them.
  func succeed() {
    if let failures, let account { failures.reset(account) }
  }
}

/// Counts refused attempts.
private final class Refusals: Sendable {
  let count = Atomic<Int64>(0)
}
