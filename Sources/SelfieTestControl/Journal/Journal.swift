import HTTPMessages
import Platform
package import SelfieTestDocuments

/// The newest exchanges of a world: the requests to it and its responses, with secrets masked. `BodyRecorder` records
/// the bodies, and `SecretMask` masks the secrets.
///
/// A test looks up what a client really sent, verifies how often it did, and waits for requests that are still to come.
///
/// Monitors request `/`, `/up` and `/readyz` at any time. The journal has those requests only where a fault rule names
/// their path.
package final class Journal: Sendable {
  /// How many exchanges are kept. Older ones are removed.
  package static let maxExchanges = 1000
  /// About how many bytes of memory all exchanges may take.
  static let maxWeight = 16 * 1024 * 1024
  /// How many tests and event streams may wait at the same time. The wait of a client that has disconnected goes on until
  /// its timeout, because the server notices the disconnection only when it responds. So the oldest event stream ends when
  /// there is no room for another wait.
  package static let maxWaiters = 256

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

  package init() {}

  /// The exchanges that a filter matches, oldest first.
  package func exchanges(matching filter: ExchangeFilter = .any) -> [Exchange] {
    state.withLock(\.exchanges).filter(filter.matches)
  }

  /// The exchange with this id; nil when the journal does not have it, or no longer.
  package func exchange(_ id: Int64) -> Exchange? {
    state.withLock(\.exchanges).first { $0.id == id }
  }

  /// How many exchanges a filter matches.
  package func count(matching filter: ExchangeFilter = .any) -> Int {
    exchanges(matching: filter).count
  }

  /// The id of the newest exchange that there has been; 0 before the first.
  package var lastID: Int64 { state.withLock(\.lastID) }

  /// Removes all exchanges, and does not record requests that are in flight. Ids keep counting, and waits go on.
  ///
  /// - Returns: how many exchanges were removed.
  @discardableResult
  package func clear() -> Int {
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
  /// - Parameter counts: to `Int.max` for "at least", and from `Int.min` for "at most".
  /// - Returns: how many exchanges the filter matches.
  @discardableResult
  package func verify(_ filter: ExchangeFilter, _ counts: ClosedRange<Int>) throws(ExchangeMismatch) -> Int {
    let (exchanges, lost) = state.withLock { ($0.exchanges, $0.lost) }
    let matched = exchanges.count(where: filter.matches)
    guard counts.contains(matched) else {
      throw ExchangeMismatch(expected: counts, filter, among: exchanges, lost: lost)
    }
    return matched
  }

  /// How many times the journal was cleared, to be noted when a request begins.
  var clearings: Int { state.withLock(\.clearings) }

  /// Records an exchange that has ended, unless the journal was cleared since it began.
  func add(_ exchange: Exchange, begunAfter clearings: Int) {
    state.withLock { state in
      guard state.clearings == clearings else { return }
      state.lastID += 1
      var exchange = exchange
      exchange.id = state.lastID
      state.exchanges.append(exchange)
      state.weight += exchange.weight
      while state.exchanges.count > 1, state.exchanges.count > Self.maxExchanges || state.weight > Self.maxWeight {
        state.weight -= state.exchanges.removeFirst().weight
        state.lost += 1
      }
      for index in state.waiters.indices where state.waiters[index].filter.matches(exchange) {
        state.waiters[index].matched += 1
      }
      for waiter in state.waiters where waiter.matched >= waiter.count {
        waiter.result.yield(state.exchanges.filter(waiter.filter.matches))
      }
      state.waiters.removeAll { $0.matched >= $0.count }
    }
  }
}

// MARK: - Waiting

/// A test that waits for exchanges.
struct Waiter {
  let id: UInt64
  let filter: ExchangeFilter
  let count: Int
  /// Whether the wait ends, without exchanges, when there is no room for another one.
  let givesWay: Bool
  /// Takes the exchanges, or the error with which the wait ends. Only the first one counts.
  let result: AsyncThrowingStream<[Exchange], any Error>.Continuation
  /// How many exchanges have matched, of which the journal may have lost some.
  var matched: Int
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
    let (results, result) = AsyncThrowingStream.makeStream(of: [Exchange].self)
    let id = try state.withLock { state in
      state.lastWaiterID += 1
      let matching = state.exchanges.filter(filter.matches)
      guard matching.count < count else {
        result.yield(matching)
        return state.lastWaiterID
      }
      guard !state.isWaitingOver else { throw Self.ended }
      if state.waiters.count >= Self.maxWaiters {
        guard let oldest = state.waiters.firstIndex(where: \.givesWay) else {
          throw ControlError(
            .tooManyRequests, "\(Self.maxWaiters) clients already wait for requests, which is the maximum.")
        }
        state.waiters.remove(at: oldest).result.yield([])
      }
      state.waiters.append(
        Waiter(
          id: state.lastWaiterID, filter: filter, count: count, givesWay: givesWay, result: result,
          matched: matching.count))
      return state.lastWaiterID
    }
    let timer = Task {
      try await Task.sleep(for: timeout)
      // Under the lock, so that an exchange comes either before the end or after it.
      state.withLock { state in
        result.finish(
          throwing: ExchangeMismatch(
            expected: count...Int.max, filter, within: timeout, among: state.exchanges, lost: state.lost))
      }
    }
    defer {
      timer.cancel()
      state.withLock { $0.waiters.removeAll { $0.id == id } }
    }
    for try await exchanges in results { return exchanges }
    throw CancellationError()
  }

  /// Ends all waits, also later ones, so that a server that stops need not wait for them.
  func endWaiting() {
    state.withLock { state in
      state.isWaitingOver = true
      for waiter in state.waiters { waiter.result.finish(throwing: Self.ended) }
    }
  }

  private static let ended = ControlError(
    .serviceUnavailable, "The server is stopping, or this world was ended, so no more requests will come.")
}
