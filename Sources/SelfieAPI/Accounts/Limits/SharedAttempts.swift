import SQL

/// Counts attempts for all the processes that share a database, in its table `guesses` and by its clock.
///
/// A sign-in asks what was counted in the same round trip as it asks for the user, and a failure takes another one. So
/// attempts that come at once have all asked before any of them is counted. In each process, those of one client are
/// bounded by its own ``AttemptCounter``, and those at one account by ``AttemptsUnderWay``. Of N processes that are tried
/// at the same instant, each may let the limit through once: ten wrong passwords each, before all of them refuse. From
/// then on the limit holds for all of them together.
struct SharedAttempts: Sendable {
  enum Kind: String {
    case failures, signups
  }

  private let kind: Kind
  private let maxAttempts: Int
  private let window: Int64
  private let table: GuessTable
  private let attemptsUnderWay = AttemptsUnderWay()

  /// - Parameters:
  ///   - maxAttempts: as an ``AttemptCounter`` has it.
  ///   - window: in milliseconds.
  init(_ kind: Kind, maxAttempts: Int, window: Int64, in table: GuessTable) {
    self.kind = kind
    self.maxAttempts = maxAttempts
    self.window = window
    self.table = table
  }

  /// Begins an attempt: asks for the account of a name, and for what was counted.
  ///
  /// - Parameters:
  ///   - triesPassword: whether it counts for the account too.
  ///   - now: monotonic milliseconds.
  func begin<Account: RowRecord>(
    on name: AccountName?, triesPassword: Bool, by clients: [Client.Group], now: Int64
  ) async throws -> (account: Account?, counts: SharedCounts) {
    let keys = keys(account: triesPassword ? name : nil, clients: clients)
    let underWay = keys.account.map { attemptsUnderWay.begin($0.digest) }
    let rows = try await table.database.rows(GuessTable.counts(of: keys, window: window, for: name))
    let found = counted(in: rows, of: keys)
    let account = rows.first.flatMap { row -> Account? in
      row.isNull(GuessTable.firstAccountColumn) ? nil : Account(row, from: GuessTable.firstAccountColumn)
    }
    let counts = SharedCounts(
      account: keys.account == nil ? nil : found.first, clients: Array(found.dropFirst().prefix(clients.count)),
      underWay: underWay, began: now, window: window)
    return (account, counts)
  }

  /// Counts an attempt, unless it is one too many already.
  ///
  /// - Parameter others: attempts of another kind. The same round trip asks what was counted of them for the clients.
  /// - Returns: how long each has to wait for the next attempt, and for one of the other kind. If anybody has to wait
  ///   for the former, nothing was counted.
  func count(
    account: AccountName?, clients: [Client.Group], asking others: SharedAttempts? = nil
  ) async throws -> (own: SharedWaits, others: SharedWaits) {
    let keys = keys(account: account, clients: clients)
    guard keys.account != nil || !keys.clients.isEmpty else { return (SharedWaits(), SharedWaits()) }
    let question = others?.question(about: clients)
    let (rows, found) = try await table.count(keys, window: window, asking: question?.query)
    let waits = rows.map { min(max(0, $0.integer(0)), window) }
    let own = SharedWaits(account: waits.first ?? 0, clients: Array(waits.dropFirst().prefix(clients.count)))
    return (own, question?.waits(found) ?? SharedWaits())
  }

  /// A question how long clients have to wait, and what its rows say.
  private func question(about clients: [Client.Group]) -> (query: Query, waits: (Rows) -> SharedWaits) {
    let keys = keys(account: nil, clients: clients)
    return (
      GuessTable.counts(of: keys, window: window, for: nil),
      { rows in
        let found = Array(counted(in: rows, of: keys).dropFirst().prefix(clients.count))
        return SharedCounts(account: nil, clients: found, underWay: nil, began: 0, window: window).waits(now: 0)
      }
    )
  }

  /// - Parameter rows: of `GuessTable.counts`.
  private func counted(in rows: Rows, of keys: GuessTable.Keys) -> [SharedCounts.Count] {
    zip(keys.all, rows).map { key, row in
      SharedCounts.Count(
        attempts: Int(clamping: row.integer(0)), age: min(max(0, row.integer(1)), window), max: key?.max ?? .max)
    }
  }

  /// What forgets the attempts at an account.
  func forgetting(_ account: AccountName) -> Query {
    GuessTable.removal(of: key(of: account))
  }

  func forget(_ account: AccountName) async throws {
    try await table.remove(key(of: account))
  }

  // MARK: - Keys

  private func keys(account: AccountName?, clients: [Client.Group]) -> GuessTable.Keys {
    GuessTable.Keys(
      account: account.map { GuessTable.Key(digest: key(of: $0), max: maxAttempts) },
      clients: clients.map { group in
        GuessTable.Key(
          digest: table.digest("\(kind.rawValue) \(group.name)"), max: maxAttempts * group.breadth.limitFactor)
      })
  }

  /// Of a name, not of an id: an attempt asks for the counts before the account is known.
  private func key(of account: AccountName) -> [UInt8] {
    switch account {
    case .email(let email): table.digest("\(kind.rawValue) user \(email)")
    case .microblogName(let name): table.digest("\(kind.rawValue) microblog user \(name)")
    }
  }
}

/// How long somebody has to wait, in milliseconds; 0 for who may go on at once.
struct SharedWaits: Sendable {
  var account: Int64 = 0
  /// From the narrowest group to the widest.
  var clients: [Int64] = []

  var longest: Int64 { max(account, clients.max() ?? 0) }
}
