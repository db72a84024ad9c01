import HTTPMessages

/// Limits how many accounts a client may try to make: each costs a hash and a row, and tells whether an email address
/// has an account already.
/// Each process of a cluster counts alone.
struct SignupThrottle: Sendable {
  /// Within the window. A class that signs up together, behind one address, makes a few for each of its members.
  static let maxSignups = 100
  /// In milliseconds.
  static let window: Int64 = 600_000

  /// Nil if the owner has switched the limit off.
  private let signups: AttemptCounter?
  private let proxies: TrustedProxies
  private let log: SecurityLog
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: monotonic milliseconds.
  init(isOn: Bool, proxies: TrustedProxies, log: SecurityLog, clock: @escaping @Sendable () -> Int64) {
    signups = isOn ? AttemptCounter(maxAttempts: Self.maxSignups, window: Self.window) : nil
    self.proxies = proxies
    self.log = log
    self.clock = clock
  }

  /// Counts a sign-up by the client of a request.
  ///
  /// - Throws: 429 after too many.
  func count(_ request: Request) throws {
    guard let signups, let client = Client(of: request, trusting: proxies) else { return }
    let (keys, now) = (client.groups.map(AttemptCounter.Key.client), clock())
    let wait = signups.wait(for: keys, now: now)
    guard wait == 0 else {
      log.log(.refusedSignup, by: request)
      throw APIError.tooMany("sign-ups", wait: wait, reason: "too_many_signups")
    }
    signups.record(keys, now: now)
  }

  /// Forgets all sign-ups.
  func resetAll() { signups?.resetAll() }
}
