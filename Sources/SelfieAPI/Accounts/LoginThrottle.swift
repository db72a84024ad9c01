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

  /// How many attempts were refused since the start: wrong passwords, unknown addresses, and what came beyond the limit.
  var refusedCount: Int64 { refusals.count.load(ordering: .relaxed) }

  /// - Parameter clock: monotonic milliseconds. By the date, a clock that is set back would lock clients out for as long.
  init(isOn: Bool, proxies: TrustedProxies, clock: @escaping @Sendable () -> Int64) {
    failures = isOn ? AttemptCounter(maxAttempts: Self.maxFailures, window: Self.window) : nil
    self.proxies = proxies
    self.clock = clock
  }

  /// An attempt by the client of a request.
  ///
  /// - Parameter target: nil for an attempt at the API's own password.
  func attempt(by request: Request, on target: Target? = nil) -> LoginAttempt {
    guard let failures else {
      return LoginAttempt(failures: nil, keys: [], account: nil, clock: clock, refusals: refusals)
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
    return LoginAttempt(failures: failures, keys: keys, account: account, clock: clock, refusals: refusals)
  }

  /// Forgets the failures on a user's account.
  func reset(user id: Int64) { failures?.reset(.account(id)) }

  /// Forgets all failures.
  func resetAll() { failures?.resetAll() }
}

/// One attempt at a secret.
struct LoginAttempt: Sendable {
  fileprivate let failures: AttemptCounter?
  fileprivate let keys: [AttemptCounter.Key]
  fileprivate let account: AttemptCounter.Key?
  fileprivate let clock: @Sendable () -> Int64
  fileprivate let refusals: Refusals

  /// - Throws: 429 after too many failures.
  func check() throws {
    guard let failures else { return }
    let wait = failures.wait(for: keys, now: clock())
    guard wait == 0 else {
      refusals.count.add(1, ordering: .relaxed)
      throw APIError.tooMany("failed attempts", wait: wait, reason: "too_many_attempts")
    }
  }

  /// Counts the attempt as failed.
  func fail() {
    refusals.count.add(1, ordering: .relaxed)
    failures?.record(keys, now: clock())
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
