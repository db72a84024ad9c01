import Platform

/// What a world has been asked and what it has answered: the newest exchanges, with secrets masked.
///
/// `/`, `/up` and `/readyz`, which monitors ask for at any time, are in it only where a fault rule names their path.
///
/// A test asks it what a client really sent, checks how often (``verify(_:exactly:)``), and waits for what is to come
/// (``wait(for:count:timeout:)``).
public final class Journal: Sendable {
  /// The exchanges that are kept; older ones are forgotten.
  public static let maxExchanges = 1000
  /// About how many bytes of memory they may take in all; one with large parameters counts as many.
  static let maxWeight = 16 * 1024 * 1024
  /// Those who may wait at the same time. A client that has gone waits on until its time is over: a server learns of it
  /// only when it answers.
  public static let maxWaiters = 256

  let state = Monitor(State())

  public init() {}

  /// The exchanges that a filter means, oldest first.
  public func exchanges(matching filter: ExchangeFilter = .any) -> [Exchange] {
    state.withLock(\.kept).all(matching: ExchangeMatcher(filter))
  }

  /// The exchange of an id; nil when it is not there, or not any more.
  public func exchange(_ id: Int64) -> Exchange? {
    state.withLock { $0.kept[id] }
  }

  /// How many there are of those that a filter means.
  public func count(matching filter: ExchangeFilter = .any) -> Int {
    exchanges(matching: filter).count
  }

  /// The id of the newest exchange there has been, for ``ExchangeFilter/since(_:)``; 0 before the first.
  public var lastID: Int64 { state.withLock { $0.kept.newest } }

  /// Forgets all, and what is under way too. Ids go on counting, and who waits goes on waiting.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func clear() -> Int {
    state.withLock { $0.clear() }
  }

  /// Checks that there are exactly so many exchanges of those that a filter means.
  ///
  ///     try server.requests.verify(.post("/api/signup"), exactly: 1)
  ///
  /// - Throws: when there are more or fewer, with what there is instead.
  public func verify(_ filter: ExchangeFilter = .any, exactly count: Int) throws(ExchangeMismatch) {
    try verify(filter, .exactly(count))
  }

  /// Checks that there are at least so many exchanges of those that a filter means.
  public func verify(_ filter: ExchangeFilter = .any, atLeast count: Int) throws(ExchangeMismatch) {
    try verify(filter, .atLeast(count))
  }

  /// Checks that there are at most so many exchanges of those that a filter means.
  public func verify(_ filter: ExchangeFilter = .any, atMost count: Int) throws(ExchangeMismatch) {
    try verify(filter, .atMost(count))
  }

  /// Checks how many exchanges there are of those that a filter means.
  ///
  /// - Returns: how many there are.
  @discardableResult
  func verify(_ filter: ExchangeFilter, _ count: ExchangeCount) throws(ExchangeMismatch) -> Int {
    let (kept, lost) = state.withLock { ($0.kept, $0.lost) }
    let (exchanges, matcher) = (kept.all, ExchangeMatcher(filter))
    let matched = exchanges.count(where: matcher.matches)
    guard count.allows(matched) else {
      throw ExchangeMismatch(expected: count, filter, among: exchanges, lost: lost)
    }
    return matched
  }
}

// MARK: - Recording

extension Journal {
  /// What ends when the journal is cleared.
  struct Period: Equatable {
    fileprivate var number = 0
  }

  /// To be asked when a request comes.
  var period: Period { state.withLock { $0.period } }

  /// Notes an exchange that is over. If the journal has been cleared since it began, it belongs to what was cleared.
  func add(_ exchange: Exchange, begunIn period: Period) {
    let answers = state.withLock { state -> [Waiter.Answer] in
      guard state.period == period else { return [] }
      return state.answersOfWaiters(to: state.append(exchange))
    }
    // A continuation must not run with the lock held.
    for answer in answers { answer.give() }
  }

  /// Exchanges of consecutive ids. Copied out of the lock, which every request of the world needs, before they are
  /// compared with a filter.
  struct Kept {
    private var exchanges: [Int64: Exchange] = [:]
    fileprivate(set) var newest: Int64 = 0

    fileprivate var oldest: Int64 { newest - Int64(count) + 1 }
    var count: Int { exchanges.count }

    subscript(id: Int64) -> Exchange? { exchanges[id] }

    /// Oldest first.
    var all: [Exchange] { count == 0 ? [] : (oldest...newest).compactMap { exchanges[$0] } }

    func all(matching matcher: ExchangeMatcher) -> [Exchange] { all.filter(matcher.matches) }

    fileprivate mutating func append(_ exchange: Exchange) {
      exchanges[exchange.id] = exchange
      newest = exchange.id
    }

    fileprivate mutating func removeOldest() -> Exchange? { exchanges.removeValue(forKey: oldest) }

    fileprivate mutating func removeAll() { exchanges = [:] }
  }

  struct State {
    fileprivate(set) var kept = Kept()
    /// How many have been forgotten since the journal was cleared.
    fileprivate(set) var lost = 0
    fileprivate var period = Period()
    private var weight = 0
    var waiters: [Waiter] = []
    var lastWaiterID: UInt64 = 0
    /// Nobody waits any more.
    var isWaitingOver = false

    fileprivate mutating func append(_ exchange: Exchange) -> Exchange {
      var exchange = exchange
      exchange.id = kept.newest + 1
      kept.append(exchange)
      weight += exchange.weight
      while kept.count > 1, kept.count > Journal.maxExchanges || weight > Journal.maxWeight {
        if let removed = kept.removeOldest() { weight -= removed.weight }
        lost += 1
      }
      return exchange
    }

    fileprivate mutating func clear() -> Int {
      defer {
        kept.removeAll()
        (weight, lost) = (0, 0)
        period.number += 1
        for index in waiters.indices { waiters[index].matched = 0 }
      }
      return kept.count
    }
  }
}
