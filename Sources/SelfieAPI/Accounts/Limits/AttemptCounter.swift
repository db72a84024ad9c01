import Platform

/// Counts attempts, for accounts and for clients, in a sliding window.
///
/// Accounts are counted apart from addresses that have none. A wrong password for an account costs its guesser a hash,
/// and an unknown address costs nothing, so a flood of unknown addresses must not push out the count of an account.
final class AttemptCounter: Sendable {
  /// What attempts are counted for.
  enum Key: Hashable, Sendable {
    /// By the user's id.
    case account(Int64)
    /// By the user's id in the Microblog app.
    case microblogAccount(Int64)
    /// The UTF-8 of an email address or a name that no account has. Hashing a String would normalize it, which takes time
    /// that grows with the square of a run of combining marks.
    case unknown([UInt8])
    case client(Client.Group)
  }

  fileprivate enum Table: Hashable, CaseIterable {
    case accounts, unknown, clients, households, sites
  }

  private let empty: [Table: SlidingWindow]
  private let tables: Monitor<[Table: SlidingWindow]>

  /// - Parameters:
  ///   - maxAttempts: for an account and for a client; wider groups may make more.
  ///   - window: in milliseconds.
  init(maxAttempts: Int, window: Int64) {
    empty = Dictionary(
      uniqueKeysWithValues: Table.allCases.map { table in
        let maxEvents = maxAttempts * table.factor
        return (table, SlidingWindow(maxEvents: maxEvents, window: window, maxKeys: table.maxKeys))
      })
    tables = Monitor(empty)
  }

  /// How long, in milliseconds, until another attempt is allowed; 0 if it is allowed now.
  ///
  /// - Parameter now: monotonic milliseconds.
  func wait(for keys: [Key], now: Int64) -> Int64 {
    tables.withLock { tables in
      keys.map { key in tables[key.table]?.wait(for: key.hashValue, now: now) ?? 0 }.max() ?? 0
    }
  }

  /// Counts an attempt for each of the keys.
  func record(_ keys: [Key], now: Int64) {
    tables.withLock { tables in
      // The hash has another seed in each process, so nobody can choose names that collide.
      for key in keys { tables[key.table]?.record(key.hashValue, now: now) }
    }
  }

  /// Forgets the attempts of a key.
  func reset(_ key: Key) {
    tables.withLock { tables in tables[key.table]?.reset(key.hashValue) }
  }

  /// Forgets all attempts.
  func resetAll() {
    tables.withLock { $0 = empty }
  }
}

extension AttemptCounter.Key {
  fileprivate var table: AttemptCounter.Table {
    switch self {
    case .account, .microblogAccount: .accounts
    case .unknown: .unknown
    case .client(let group):
      switch group.breadth {
      case .client: .clients
      case .household: .households
      case .site: .sites
      }
    }
  }
}

extension AttemptCounter.Table {
  fileprivate var factor: Int {
    switch self {
    case .accounts, .unknown: 1
    case .clients: Client.Group.Breadth.client.limitFactor
    case .households: Client.Group.Breadth.household.limitFactor
    case .sites: Client.Group.Breadth.site.limitFactor
    }
  }

  /// All tables together take about thirty megabytes when they are full.
  fileprivate var maxKeys: Int {
    switch self {
    case .accounts: 65_536
    case .unknown, .clients, .households: 16_384
    case .sites: 4_096
    }
  }
}
