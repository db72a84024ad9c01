import HTTPMessages
import Synchronization

/// Slows down clients that try one secret after another.
///
/// Where processes share a database, they count together (``SharedAttempts``).
package struct LoginThrottle: Sendable {
  /// Failures within the window after which the next attempt has to wait.
  package static let maxFailures = 10
  /// In milliseconds.
  package static let window: Int64 = 180_000

  /// Nil if the owner has switched the limit off.
  let failures: AttemptCounter?
  /// Nil also where this process is the only one.
  let shared: SharedAttempts?
  let clock: @Sendable () -> Int64
  let refusals = Refusals()
  let log: SecurityLog
  private let proxies: TrustedProxies

  /// How many attempts were refused since the start: wrong passwords, unknown addresses, and what came beyond the limit.
  var refusedCount: Int64 { refusals.count.load(ordering: .relaxed) }

  /// - Parameters:
  ///   - guesses: where processes that share a database count; nil if this one counts alone.
  ///   - clock: monotonic milliseconds. By the date, a clock that is set back would lock clients out for as long.
  init(
    isOn: Bool, proxies: TrustedProxies, log: SecurityLog, guesses: GuessTable? = nil,
    clock: @escaping @Sendable () -> Int64
  ) {
    failures = isOn ? AttemptCounter(maxAttempts: Self.maxFailures, window: Self.window) : nil
    shared =
      isOn
      ? guesses.map { SharedAttempts(.failures, maxAttempts: Self.maxFailures, window: Self.window, in: $0) } : nil
    self.proxies = proxies
    self.log = log
    self.clock = clock
  }

  /// An attempt at the API's own password by the client of a request. Nothing is asked for it: only a wrong password
  /// learns what other processes have counted.
  func attempt(by request: Request) -> LoginAttempt {
    LoginAttempt(by: request, of: groups(of: request), on: nil, counts: nil, throttle: self)
  }

  /// An attempt at the password of an account that was looked for.
  func attempt(by request: Request, on found: FoundAccount<some PasswordAccount>) -> LoginAttempt {
    let account = found.name.map { TriedAccount(name: $0, id: found.account?.id) }
    return LoginAttempt(by: request, of: groups(of: request), on: account, counts: found.counts, throttle: self)
  }

  /// An attempt at the password of an account.
  func attempt(by request: Request, on account: some PasswordAccount) async throws -> LoginAttempt {
    attempt(by: request, on: try await find(account.accountName, for: request) { _ in account })
  }

  /// Looks for an account by its name. In a shared database, the same round trip asks what was counted for it and for
  /// the client of the request.
  ///
  /// - Parameters:
  ///   - name: nil for what no account can have as its name.
  ///   - triesPassword: whether the client has to know the account's password.
  ///   - find: finds it where this process counts alone.
  func find<Account: PasswordAccount>(
    _ name: AccountName?, for request: Request, triesPassword: Bool = true,
    by find: (String) async throws -> Account?
  ) async throws -> FoundAccount<Account> {
    guard let shared, let failures else {
      let account: Account? = if let name { try await find(name.text) } else { nil }
      return FoundAccount(name: name, account: account, counts: nil)
    }
    let (groups, now) = (groups(of: request), clock())
    let found: (account: Account?, counts: SharedCounts) = try await shared.begin(
      on: name, triesPassword: triesPassword, by: groups, now: now)
    failures.note(found.counts.waits(now: now).clients, of: groups, now: now)
    return FoundAccount(name: name, account: found.account, counts: found.counts)
  }

  /// Checks what other processes have counted for a client that has shown the API's password, but needs no other.
  ///
  /// - Throws: 429 after too many failures.
  func checkClient(of request: Request, in found: FoundAccount<some PasswordAccount>) throws {
    guard let counts = found.counts else { return }
    try attempt(by: request).refuse(for: counts.waits(now: clock()).clients.max() ?? 0)
  }

  /// Notes how long the client of a request has to wait, as other processes have counted.
  ///
  /// - Throws: 429 unless it may go on at once.
  func check(_ waits: SharedWaits, for request: Request) throws {
    failures?.note(waits.clients, of: groups(of: request), now: clock())
    try attempt(by: request).refuse(for: waits.longest)
  }

  /// Forgets the failures on an account.
  func reset(_ account: some PasswordAccount) async throws {
    failures?.reset(TriedAccount(name: account.accountName, id: account.id).key)
    try await shared?.forget(account.accountName)
  }

  /// Forgets all failures that this process has counted.
  func resetAll() { failures?.resetAll() }

  private func groups(of request: Request) -> [Client.Group] {
    failures == nil ? [] : Client(of: request, trusting: proxies)?.groups ?? []
  }
}

/// Counts refused attempts.
final class Refusals: Sendable {
  let count = Atomic<Int64>(0)
}
