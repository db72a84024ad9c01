/// What was counted for an attempt when it began.
struct SharedCounts: Sendable {
  struct Count: Sendable {
    /// Within the window.
    let attempts: Int
    /// How long ago the first of them was, in milliseconds; 0 if there are none.
    let age: Int64
    /// The attempts after which the next one has to wait.
    let max: Int
  }

  /// Nil if the attempt does not count for an account.
  let account: Count?
  /// From the client's narrowest group to the widest.
  let clients: [Count]
  let underWay: AttemptUnderWay?
  /// Monotonic milliseconds.
  let began: Int64
  let window: Int64

  /// Whether there are failures on the account.
  var hasFailures: Bool { (account?.attempts ?? 0) + failuresSince > 0 }

  private var failuresSince: Int { underWay?.failuresSince ?? 0 }

  /// How long the attempt has to wait, with what has failed in this process since it began.
  func waits(now: Int64) -> SharedWaits {
    SharedWaits(
      account: account.map { wait(for: $0, and: failuresSince, now: now) } ?? 0,
      clients: clients.map { wait(for: $0, and: 0, now: now) })
  }

  private func wait(for count: Count, and others: Int, now: Int64) -> Int64 {
    guard count.attempts + others >= count.max else { return 0 }
    return max(0, window - count.age - (now - began))
  }
}
