/// The limits on guessing and on sign-ups, and the counts of attempts in this process. `AttemptLimits` refuses a
/// request when a limit is reached.
///
/// An account may fail `maxFailures` times within `failureWindow`, and so may a network: an IPv4 address, or an IPv6
/// network of 64 bits. Sign-ups are counted by network. A site, which has many networks, may do `siteFactor` times as
/// much.
package struct AttemptCounts: Sendable {
  /// Enough for users who try all the passwords that they have, and too few for a guesser.
  package static let maxFailures = 10
  /// In milliseconds.
  package static let failureWindow: Int64 = 180_000
  /// Each sign-up costs a hash and a row, and tells whether an email address has an account. A class that signs up
  /// together, behind one address, makes a few for each of its members.
  static let maxSignups = 100
  /// In milliseconds.
  static let signupWindow: Int64 = 600_000
  /// Against clients that own many networks: providers give a company 65,536 of them.
  static let siteFactor = 10

  // A flood can push out only counts of its own kind. A wrong password for an account costs a hash, and an email address
  // that has none costs nothing. All tables together take about thirty megabytes when they are full.
  private var accounts = SlidingWindow(maxEvents: Self.maxFailures, window: Self.failureWindow, maxKeys: 65_536)
  private var unknown = SlidingWindow(maxEvents: Self.maxFailures, window: Self.failureWindow, maxKeys: 16_384)
  private var clients = SlidingWindow(maxEvents: Self.maxFailures, window: Self.failureWindow, maxKeys: 16_384)
  private var sites = SlidingWindow(
    maxEvents: Self.maxFailures * Self.siteFactor, window: Self.failureWindow, maxKeys: 4_096)
  private var signups = SlidingWindow(maxEvents: Self.maxSignups, window: Self.signupWindow, maxKeys: 16_384)
  private var signupsOfSites = SlidingWindow(
    maxEvents: Self.maxSignups * Self.siteFactor, window: Self.signupWindow, maxKeys: 4_096)

  /// The number of attempts that have begun and not ended.
  private var underWay: [Key: Int] = [:]

  /// A target or a source of attempts.
  enum Key: Hashable, Sendable {
    case account(SecurityLog.Account)
    /// The UTF-8 of an email address or a name that no account has, as much of it as an account could have. Hashing a
    /// String would normalize it, which takes time that grows with the square of a run of combining marks.
    case unknown([UInt8])
    case client(Client.Group)
    case signup(Client.Group)

    /// - Parameter account: nil if none has the name.
    static func account(_ account: SecurityLog.Account?, named name: String) -> Key {
      account.map(Key.account) ?? .unknown(Array(name.utf8.prefix(RequestLimits.maxKeyBytes)))
    }
  }

  /// Milliseconds until another attempt is allowed; 0 if it is allowed now.
  ///
  /// - Parameter now: monotonic milliseconds. By the date, a clock that is set back would prolong the wait.
  func wait(for keys: [Key], now: Int64) -> Int64 {
    keys.map { self[keyPath: Self.table(of: $0)].wait(for: $0.hashValue, now: now) }.max() ?? 0
  }

  /// Records an event if it is allowed now.
  ///
  /// - Returns: as `wait`.
  mutating func recordIfAllowed(_ keys: [Key], now: Int64) -> Int64 {
    let wait = max(wait(for: keys, now: now), keys.allSatisfy { hasRoom(for: $0, now: now) } ? 0 : 1)
    if wait == 0 { record(keys, now: now) }
    return wait
  }

  /// Begins an attempt that ends later, if it is allowed now.
  ///
  /// - Returns: as `wait`; nil if that depends on the attempts under way.
  mutating func begin(_ keys: [Key], now: Int64) -> Int64? {
    let wait = wait(for: keys, now: now)
    guard wait == 0 else { return wait }
    guard keys.allSatisfy({ hasRoom(for: $0, now: now) }) else { return nil }
    for key in keys { underWay[key, default: 0] += 1 }
    return 0
  }

  mutating func end(_ keys: [Key], hasFailed: Bool, now: Int64) {
    for key in keys {
      let others = (underWay[key] ?? 0) - 1
      underWay[key] = others > 0 ? others : nil
    }
    if hasFailed { record(keys, now: now) }
  }

  /// Whether one attempt more may fail if all that are under way do.
  private func hasRoom(for key: Key, now: Int64) -> Bool {
    self[keyPath: Self.table(of: key)].wait(for: key.hashValue, besides: underWay[key] ?? 0, now: now) == 0
  }

  mutating func record(_ keys: [Key], now: Int64) {
    // The hash has another seed in each process, so clients cannot choose names that collide.
    for key in keys { self[keyPath: Self.table(of: key)].record(key.hashValue, now: now) }
  }

  mutating func forget(_ key: Key) { self[keyPath: Self.table(of: key)].reset(key.hashValue) }

  private static func table(of key: Key) -> WritableKeyPath<AttemptCounts, SlidingWindow> {
    switch key {
    case .account: \.accounts
    case .unknown: \.unknown
    case .client(let group): group.isSite ? \.sites : \.clients
    case .signup(let group): group.isSite ? \.signupsOfSites : \.signups
    }
  }
}
