import HTTPMessages

/// Slows down clients that try one secret after another.
package struct LoginThrottle: Sendable {
  /// Nil if the owner has switched the limit off.
  private let failures: FailureCounter?
  private let proxies: TrustedProxies
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: the time in unix milliseconds.
  init(failures: FailureCounter?, proxies: TrustedProxies, clock: @escaping @Sendable () -> Int64) {
    self.failures = failures
    self.proxies = proxies
    self.clock = clock
  }

  /// An attempt by the client of a request.
  ///
  /// - Parameter email: the account whose password is tried; nil for the API's own password.
  func attempt(by request: Request, on email: String? = nil) -> LoginAttempt {
    guard let failures else { return LoginAttempt(failures: nil, keys: [], account: nil, clock: clock) }
    let account = email.map(FailureCounter.Key.account)
    let keys = [account, address(of: request)].compactMap(\.self)
    return LoginAttempt(failures: failures, keys: keys, account: account, clock: clock)
  }

  /// Forgets all failures.
  package func resetAll() { failures?.resetAll() }

  /// The address that an attempt counts for; nil for this machine itself. The owner's own tests come from here, and so
  /// do the clients behind a proxy that the owner has not named: counted as one address, any of them could lock out all
  /// the others.
  private func address(of request: Request) -> FailureCounter.Key? {
    guard let address = ClientAddress(of: request, trusting: proxies), !address.isLoopback else { return nil }
    return .address(address.group)
  }
}

/// One attempt at a secret.
struct LoginAttempt: Sendable {
  fileprivate let failures: FailureCounter?
  fileprivate let keys: [FailureCounter.Key]
  fileprivate let account: FailureCounter.Key?
  fileprivate let clock: @Sendable () -> Int64

  /// - Throws: 429 after too many failures.
  func check() throws {
    guard let failures else { return }
    let wait = failures.wait(for: keys, now: clock())
    guard wait == 0 else {
      let seconds = Int((wait + 999) / 1000)
      throw APIError(
        .tooManyRequests, "Too many failed attempts. Try again in \(seconds) seconds.", reason: "too_many_attempts",
        retryAfter: seconds)
    }
  }

  /// Counts the attempt as failed.
  func fail() {
    failures?.record(keys, now: clock())
  }

  /// The password was right, so earlier failures on this account were probably its owner's. Clears them.
  func succeed() {
    if let failures, let account { failures.reset(account) }
  }
}
