import Platform

/// The newest exchanges of a world: the requests to it and its responses, with secrets masked.
///
/// A test looks up what a client really sent, verifies how often it did, and waits for requests that are still to come.
///
/// Monitors request `/`, `/up` and `/readyz` at any time. The journal has those requests only where a fault rule names
/// their path.
public final class Journal: Sendable {
  /// How many exchanges are kept. Older ones are removed.
  public static let maxExchanges = 1000
  /// About how many bytes of memory all exchanges may take.
  static let maxWeight = 16 * 1024 * 1024
  /// How many tests and event streams may wait at the same time. The wait of a client that has disconnected goes on until
  /// its timeout, because the server notices the disconnection only when it responds. So the oldest event stream ends when
  /// there is no room for another wait.
  public static let maxWaiters = 256

  let state = Monitor(State())

  public init() {}

  /// The exchanges that a filter matches, oldest first.
  public func exchanges(matching filter: ExchangeFilter = .any) -> [Exchange] {
    state.withLock(\.kept).all(matching: ExchangeMatcher(filter))
  }

  /// The exchange with this id; nil when the journal does not have it, or no longer.
  public func exchange(_ id: Int64) -> Exchange? {
    state.withLock { $0.kept[id] }
  }

  /// How many exchanges a filter matches.
  public func count(matching filter: ExchangeFilter = .any) -> Int {
    exchanges(matching: filter).count
  }

  /// The id of the newest exchange that there has been, for ``ExchangeFilter/since(_:)``; 0 before the first.
  public var lastID: Int64 { state.withLock { $0.kept.newest } }

  /// Removes all exchanges, and does not record requests that are in flight. Ids keep counting, and waits go on.
  ///
  /// - Returns: how many exchanges were removed.
  @discardableResult
  public func clear() -> Int {
    state.withLock { $0.clear() }
  }

  /// Throws unless the filter matches as many exchanges as expected.
  ///
  /// - Returns: how many exchanges the filter matches.
  @discardableResult
  package func verify(_ filter: ExchangeFilter, _ count: ExchangeCount) throws(ExchangeMismatch) -> Int {
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
  /// The time from one clearing of the journal to the next.
  struct Period: Equatable {
    fileprivate var number = 0
  }

  /// The current period, to be noted when a request begins.
  var period: Period { state.withLock { $0.period } }

  /// Records an exchange that has ended, unless the journal was cleared since it began.
  func add(_ exchange: Exchange, begunIn period: Period) {
    let satisfied = state.withLock { state in
      state.period == period ? state.takeWaiters(satisfiedBy: state.append(exchange)) : []
    }
    for (waiter, exchanges) in satisfied { waiter.finish(.success(exchanges)) }
  }

  /// Exchanges with consecutive ids. A filter runs over a copy, outside of the lock that every request of the world
  /// needs.
  struct Kept {
    private var exchanges: [Int64: Exchange] = [:]
    fileprivate(set) var newest: Int64 = 0

    fileprivate var oldest: Int64 { newest - Int64(count) + 1 }
    var count: Int { exchanges.count }

    subscript(id: Int64) -> Exchange? { exchanges[id] }

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
    /// How many exchanges have been removed for lack of room since the journal was cleared.
    fileprivate(set) var lost = 0
    fileprivate var period = Period()
    private var weight = 0
    var waiters: [Waiter] = []
    var lastWaiterID: UInt64 = 0
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
