import HTTPMessages

/// Slows down whoever tries secrets one after the other.
package struct GuessGuard: Sendable {
  /// Nil where the owner has switched it off.
  package let limit: FailureLimit?
  let proxies: TrustedProxies
  let clock: @Sendable () -> Int64

  /// An attempt by the client of a request; at an account, or at the API's own password.
  func guess(by request: Request, at email: String? = nil) -> Guess {
    guard let limit else { return Guess(limit: nil, keys: [], account: nil, clock: clock) }
    let account = email.map(FailureLimit.Key.account)
    let keys = [account, address(of: request)].compactMap(\.self)
    return Guess(limit: limit, keys: keys, account: account, clock: clock)
  }

  /// Whom an attempt is counted for; nil for this machine itself. From there come the owner's own
  /// tests, and everybody who is behind a proxy that the owner has not named: to count those as one
  /// would let any of them lock out all the others.
  private func address(of request: Request) -> FailureLimit.Key? {
    guard let address = ClientAddress(of: request, trusting: proxies), !address.isLoopback else { return nil }
    return .address(address.group)
  }
}

/// One attempt at a secret.
struct Guess: Sendable {
  fileprivate let limit: FailureLimit?
  fileprivate let keys: [FailureLimit.Key]
  fileprivate let account: FailureLimit.Key?
  fileprivate let clock: @Sendable () -> Int64

  /// - Throws: 429 when there have been too many failures.
  func check() throws {
    guard let limit else { return }
    let wait = limit.wait(for: keys, now: clock())
    guard wait == 0 else {
      let seconds = Int((wait + 999) / 1000)
      throw APIError(
        .tooManyRequests, "Too many failed attempts. Try again in \(seconds) seconds.", reason: "too_many_attempts",
        retryAfter: seconds)
    }
  }

  /// It was wrong.
  func record() {
    limit?.record(keys, now: clock())
  }

  /// It was right: what was tried before at this account was its owner.
  func forgive() {
    if let limit, let account { limit.forgive(account) }
  }
}
