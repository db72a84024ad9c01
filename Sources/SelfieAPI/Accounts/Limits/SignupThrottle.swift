import HTTPMessages

/// Limits how many accounts a client may try to make: each costs a hash and a row, and tells whether an email address
/// has an account already.
///
/// Where processes share a database, they count together (``SharedAttempts``).
struct SignupThrottle: Sendable {
  /// Within the window. A class that signs up together, behind one address, makes a few for each of its members.
  static let maxSignups = 100
  /// In milliseconds.
  static let window: Int64 = 600_000

  /// Nil if the owner has switched the limit off.
  private let signups: AttemptCounter?
  /// Nil also where this process is the only one.
  private let shared: SharedAttempts?
  private let proxies: TrustedProxies
  private let log: SecurityLog
  private let clock: @Sendable () -> Int64

  /// - Parameters:
  ///   - guesses: where processes that share a database count; nil if this one counts alone.
  ///   - clock: monotonic milliseconds.
  init(
    isOn: Bool, proxies: TrustedProxies, log: SecurityLog, guesses: GuessTable? = nil,
    clock: @escaping @Sendable () -> Int64
  ) {
    signups = isOn ? AttemptCounter(maxAttempts: Self.maxSignups, window: Self.window) : nil
    shared =
      isOn
      ? guesses.map { SharedAttempts(.signups, maxAttempts: Self.maxSignups, window: Self.window, in: $0) } : nil
    self.proxies = proxies
    self.log = log
    self.clock = clock
  }

  /// Counts a sign-up by the client of a request.
  ///
  /// - Parameter logins: also checks, in the same round trip, what other processes have counted of the client's wrong
  ///   passwords; nil where a sign-up needs no password that could be guessed.
  /// - Throws: 429 after too many.
  func count(_ request: Request, checking logins: LoginThrottle? = nil) async throws {
    guard let signups, let client = Client(of: request, trusting: proxies) else { return }
    let (keys, now) = (client.groups.map(AttemptCounter.Key.client), clock())
    try refuse(request, for: signups.wait(for: keys, now: now))
    signups.record(keys, now: now)
    guard let shared else { return }
    let waits = try await shared.count(account: nil, clients: client.groups, asking: logins?.shared)
    signups.note(waits.own.clients, of: client.groups, now: clock())
    try refuse(request, for: waits.own.longest)
    try logins?.check(waits.others, for: request)
  }

  private func refuse(_ request: Request, for wait: Int64) throws {
    guard wait > 0 else { return }
    log.log(.refusedSignup, by: request)
    throw APIError.tooMany("sign-ups", wait: wait, reason: "too_many_signups")
  }

  /// Forgets all sign-ups that this process has counted.
  func resetAll() { signups?.resetAll() }
}
