import HTTPMessages

/// One attempt at a secret. Its functions may be called on any thread.
struct LoginAttempt: Sendable {
  let request: Request
  /// Nil for an attempt at the API's own password.
  let account: TriedAccount?
  /// What it is counted for.
  let keys: [AttemptCounter.Key]
  let throttle: LoginThrottle

  /// - Throws: 429 after too many failures.
  func check() throws {
    guard let wait = throttle.failures?.wait(for: keys, now: throttle.clock()), wait > 0 else { return }
    throttle.refusals.count.add(1, ordering: .relaxed)
    throttle.log.log(.refusedGuess, by: request, on: account?.logged)
    throw APIError.tooMany("failed attempts", wait: wait, reason: "too_many_attempts")
  }

  /// Counts the attempt as failed.
  ///
  /// - Parameter event: what the log says of it; nil for what follows from the account.
  func fail(_ event: SecurityEvent? = nil) {
    throttle.refusals.count.add(1, ordering: .relaxed)
    throttle.failures?.record(keys, now: throttle.clock())
    throttle.log.log(event ?? failure, by: request, on: account?.logged)
  }

  private var failure: SecurityEvent {
    guard let account else { return .wrongAPIPassword }
    return account.id == nil ? .unknownAccount : .wrongPassword
  }

  /// Clears the failures on the account: the password was right, so they were probably its owner's.
  func succeed() {
    if let account { throttle.reset(account) }
  }
}
