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

  struct State {
    /// The oldest first. Filters run over a copy, outside of the lock that every request of the world needs.
    var exchanges: [Exchange] = []
    var lastID: Int64 = 0
    var weight = 0
    /// How many exchanges have been removed for lack of room since the journal was cleared.
    var lost = 0
    /// How many times the journal was cleared.
    var clearings = 0
    var waiters: [Waiter] = []
    var lastWaiterID: UInt64 = 0
    var isWaitingOver = false
  }

  let state = Monitor(State())

  public init() {}

  /// The exchanges that a filter matches, oldest first.
  public func exchanges(matching filter: ExchangeFilter = .any) -> [Exchange] {
    filter.matches(in: state.withLock(\.exchanges))
  }

  /// The exchange with this id; nil when the journal does not have it, or no longer.
  public func exchange(_ id: Int64) -> Exchange? {
    state.withLock(\.exchanges).first { $0.id == id }
  }

  /// How many exchanges a filter matches.
  public func count(matching filter: ExchangeFilter = .any) -> Int {
    exchanges(matching: filter).count
  }

  /// The id of the newest exchange that there has been, for ``ExchangeFilter/since(_:)``; 0 before the first.
  public var lastID: Int64 { state.withLock(\.lastID) }

  /// Removes all exchanges, and does not record requests that are in flight. Ids keep counting, and waits go on.
  ///
  /// - Returns: how many exchanges were removed.
  @discardableResult
  public func clear() -> Int {
    state.withLock { state in
      let count = state.exchanges.count
      (state.exchanges, state.weight, state.lost) = ([], 0, 0)
      state.clearings += 1
      for index in state.waiters.indices { state.waiters[index].matched = 0 }
      return count
    }
  }

  /// Throws unless the filter matches as many exchanges as expected.
  ///
  /// - Returns: how many exchanges the filter matches.
  @discardableResult
  package func verify(_ filter: ExchangeFilter, _ count: ExchangeCount) throws(ExchangeMismatch) -> Int {
    let (exchanges, lost) = state.withLock { ($0.exchanges, $0.lost) }
    let matched = filter.matches(in: exchanges).count
    guard count.range.contains(matched) else {
      throw ExchangeMismatch(expected: count, filter, among: exchanges, lost: lost)
    }
    return matched
  }

  /// How many times the journal was cleared, to be noted when a request begins.
  var clearings: Int { state.withLock(\.clearings) }

  /// Records an exchange that has ended, unless the journal was cleared since it began.
  func add(_ exchange: Exchange, begunAfter clearings: Int) {
    let satisfied = state.withLock { state -> [(Waiter, [Exchange])] in
      guard state.clearings == clearings else { return [] }
      state.lastID += 1
      var exchange = exchange
      exchange.id = state.lastID
      state.exchanges.append(exchange)
      state.weight += exchange.weight
      while state.exchanges.count > 1, state.exchanges.count > Self.maxExchanges || state.weight > Self.maxWeight {
        state.weight -= state.exchanges.removeFirst().weight
        state.lost += 1
      }
      for index in state.waiters.indices where state.waiters[index].matcher.matches(exchange) {
        state.waiters[index].matched += 1
      }
      let satisfied = state.waiters.filter { $0.matched >= $0.count }
      if !satisfied.isEmpty { state.waiters.removeAll { $0.matched >= $0.count } }
      return satisfied.map { ($0, state.exchanges.filter($0.matcher.matches)) }
    }
    for (waiter, exchanges) in satisfied { waiter.finish(.success(exchanges)) }
  }
}

// MARK: - Waiting

/// A test that waits for exchanges.
struct Waiter {
  let id: UInt64
  let matcher: ExchangeMatcher
  let count: Int
  /// Whether the wait ends, without exchanges, when there is no room for another one.
  let givesWay: Bool
  let continuation: CheckedContinuation<[Exchange], any Error>
  /// Ends the wait after the timeout.
  let timer: Task<Void, Never>
  /// How many exchanges have matched.
  var matched: Int

  /// Must be called without the journal's lock, since it resumes the test.
  func finish(_ result: Result<[Exchange], any Error>) {
    timer.cancel()
    continuation.resume(with: result)
  }
}

extension Journal {
  /// Waits until the filter matches `count` exchanges. Those that are already in the journal count.
  ///
  /// - Parameters:
  ///   - timeout: a real time, independent of the world's clock.
  ///   - givesWay: whether the wait ends when there is no room for another one.
  /// - Returns: all matching exchanges in the journal, oldest first; none if the wait has given way.
  /// - Throws: ``ExchangeMismatch`` after the timeout, with what happened instead; `CancellationError` when the task is
  ///   cancelled; ``ControlError`` when too many wait, or no more requests will come.
  package func exchanges(
    matching filter: ExchangeFilter = .any, atLeast count: Int = 1, within timeout: Duration,
    givesWay: Bool = false
  ) async throws -> [Exchange] {
    let id = state.withLock { state in
      state.lastWaiterID += 1
      return state.lastWaiterID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(id, ExchangeMatcher(filter), count, timeout, givesWay, continuation)
        // A cancellation before this point has found no waiter to end.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Ends all waits, also later ones, so that a server that stops need not wait for them.
  func endWaiting() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isWaitingOver = true
      return state.waiters
    }
    for waiter in waiters { waiter.finish(.failure(Self.ended)) }
  }

  private static let tooManyWait = ControlError(.full, "\(maxWaiters) wait for requests already, as many as may.")
  private static let ended = ControlError(
    .ended, "The server stops, or this world has been ended, so that no more requests will come.")

  private func begin(
    _ id: UInt64, _ matcher: ExchangeMatcher, _ count: Int, _ timeout: Duration, _ givesWay: Bool,
    _ continuation: CheckedContinuation<[Exchange], any Error>
  ) {
    var displaced: Waiter?
    let result = state.withLock { state -> Result<[Exchange], any Error>? in
      let exchanges = state.exchanges.filter(matcher.matches)
      if exchanges.count >= count { return .success(exchanges) }
      guard !state.isWaitingOver else { return .failure(Self.ended) }
      if state.waiters.count >= Self.maxWaiters {
        guard let oldest = state.waiters.firstIndex(where: \.givesWay) else { return .failure(Self.tooManyWait) }
        displaced = state.waiters.remove(at: oldest)
      }
      let timer = Task {
        guard (try? await Task.sleep(for: timeout)) != nil else { return }
        self.end(id) { state in
          ExchangeMismatch(
            expected: .atLeast(count), matcher.filter, within: timeout, among: state.exchanges, lost: state.lost)
        }
      }
      state.waiters.append(
        Waiter(
          id: id, matcher: matcher, count: count, givesWay: givesWay, continuation: continuation, timer: timer,
          matched: exchanges.count))
      return nil
    }
    displaced?.finish(.success([]))
    if let result { continuation.resume(with: result) }
  }

  private func cancel(_ id: UInt64) {
    end(id) { _ in CancellationError() }
  }

  private func end(_ id: UInt64, _ error: (State) -> any Error) {
    let ended = state.withLock { state -> (waiter: Waiter, error: any Error)? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return (state.waiters.remove(at: index), error(state))
    }
    if let ended { ended.waiter.finish(.failure(ended.error)) }
  }
}
