import HTTPMessages
import SQL

/// One attempt at a secret.
struct LoginAttempt: Sendable {
  private let request: Request
  /// Nil for an attempt at the API's own password.
  private let account: TriedAccount?
  private let groups: [Client.Group]
  /// What this process counts it for.
  private let keys: [AttemptCounter.Key]
  /// What all processes had counted when it began; nil where this process counts alone, or where none was asked.
  private let counts: SharedCounts?
  private let throttle: LoginThrottle

  init(
    by request: Request, of groups: [Client.Group], on account: TriedAccount?, counts: SharedCounts?,
    throttle: LoginThrottle
  ) {
    self.request = request
    self.account = account
    self.groups = groups
    self.counts = counts
    self.throttle = throttle
    let clients = groups.map(AttemptCounter.Key.client)
    // Another process may forget the failures on an account, so only what was asked of the database holds for it.
    keys = throttle.shared == nil ? clients + [account?.key].compactMap(\.self) : clients
  }

  /// May be called on any thread.
  ///
  /// - Throws: 429 after too many failures.
  func check() throws {
    guard let failures = throttle.failures else { return }
    let now = throttle.clock()
    try refuse(for: max(failures.wait(for: keys, now: now), counts?.waits(now: now).longest ?? 0))
  }

  /// - Throws: 429 unless the client may go on at once.
  func refuse(for wait: Int64) throws {
    guard wait > 0 else { return }
    throttle.refusals.count.add(1, ordering: .relaxed)
    throttle.log.log(.refusedGuess, by: request, on: account?.logged)
    throw Self.tooMany(wait: wait)
  }

  private static func tooMany(wait: Int64) -> APIError {
    APIError.tooMany("failed attempts", wait: wait, reason: "too_many_attempts")
  }

  /// Counts the attempt as failed.
  ///
  /// - Parameter event: what the log says of it; nil for what follows from the account.
  /// - Throws: 429 if other processes have counted too many failures before.
  func fail(_ event: SecurityEvent? = nil) async throws {
    noteFailure(event)
    try await shareFailure()
  }

  /// Counts the attempt as failed in this process. May be called on any thread.
  func noteFailure(_ event: SecurityEvent? = nil) {
    throttle.refusals.count.add(1, ordering: .relaxed)
    throttle.failures?.record(keys, now: throttle.clock())
    counts?.underWay?.noteFailure()
    throttle.log.log(event ?? failure, by: request, on: account?.logged)
  }

  /// Counts it for the other processes as well; to be called after `noteFailure`, on an event loop.
  ///
  /// - Throws: as `fail`.
  func shareFailure() async throws {
    guard let shared = throttle.shared else { return }
    let waits = try await shared.count(account: account?.name, clients: groups).own
    counts?.underWay?.noteSharedFailure()
    throttle.failures?.note(waits.clients, of: groups, now: throttle.clock())
    if waits.longest > 0 { throw Self.tooMany(wait: waits.longest) }
  }

  private var failure: SecurityEvent {
    guard let account else { return .wrongAPIPassword }
    return account.id == nil ? .unknownAccount : .wrongPassword
  }

  /// The password was right, so earlier failures on this account were probably its owner's. Clears those that this
  /// process counts. May be called on any thread.
  func succeed() {
    if throttle.shared == nil, let account { throttle.failures?.reset(account.key) }
  }

  /// Clears the failures on the account that all processes have counted: to be run after `succeed`, with what the client
  /// has the server write. Nothing if there are none.
  var forgetting: [Query] {
    guard let shared = throttle.shared, let account, counts?.hasFailures == true else { return [] }
    return [shared.forgetting(account.name)]
  }

  /// The same where nothing else is to be written.
  func forgetFailures() async throws {
    guard let shared = throttle.shared, let account, counts?.hasFailures == true else { return }
    try await shared.forget(account.name)
  }
}
