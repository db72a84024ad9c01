import HTTPMessages
import Platform
package import SelfieTestDocuments

/// The newest exchanges of a world: the requests to it and its responses, with secrets masked. `RecordedBody` has
/// the bodies, and `SecretMask` masks the secrets.
///
/// A test looks up what a client really sent, verifies how often it did, and waits for requests that are still to come.
/// A request has a place here from its arrival on, so that a check does not miss one that is still being answered.
///
/// Monitors request `/`, `/up` and `/readyz` at any time. The journal has those requests only where a fault rule names
/// their path.
package final class Journal: Sendable {
  /// How many exchanges are kept unless JOURNAL_SIZE says otherwise. Older ones are removed.
  package static let defaultSize = 1000
  /// An exchange takes about a kilobyte, up to 150 KiB with a long body and a long head.
  package static let sizes = 1...100_000
  /// How many exchanges are kept.
  let size: Int
  /// About how many bytes of memory all exchanges may take.
  var maxWeight: Int { size * 16 * 1024 }
  /// How many tests and event streams may wait at the same time. The wait of a client that has disconnected goes on until
  /// its timeout, because the server notices the disconnection only when it responds. So the oldest event stream ends when
  /// there is no room for another wait.
  package static let maxWaiters = 256

  struct State {
    /// The oldest first. Filters run over a copy, outside of the lock that every request of the world needs.
    var exchanges: [Exchange] = []
    var lastID: Int64 = 0
    var weight = 0
    /// The requests that are still being answered, by their numbers. A clearing forgets them.
    var underWay: [Int64: Exchange] = [:]
    var lastNumber: Int64 = 0
    /// How many exchanges have been removed for lack of room since the journal was cleared, and the id of the last.
    var lost = 0
    var lastLostID: Int64 = 0
    var waiters: [Waiter] = []
    var lastWaiterID: UInt64 = 0
    var isWaitingOver = false
  }

  let state = Monitor(State())

  /// - Parameter size: how many exchanges are kept.
  package init(size: Int = defaultSize) { self.size = size }

  /// The exchanges that a filter matches, oldest first.
  package func exchanges(matching filter: ExchangeFilter = .any) -> [Exchange] {
    state.withLock(\.exchanges).filter(filter.matches)
  }

  /// The exchange with this id; nil when the journal does not have it, or no longer.
  package func exchange(_ id: Int64) -> Exchange? {
    state.withLock(\.exchanges).first { $0.id == id }
  }

  /// How many of the exchanges that are kept a filter matches.
  package func count(matching filter: ExchangeFilter = .any) -> Int {
    exchanges(matching: filter).count
  }

  /// The id of the newest exchange that there has been; 0 before the first.
  package var lastID: Int64 { state.withLock(\.lastID) }

  /// The exchanges that a filter matches, with what cannot be told yet or any more.
  func tally(of filter: ExchangeFilter) -> Tally { state.withLock(\.self).tally(of: filter, countsUnderWay: true) }

  /// Removes all exchanges, and does not record requests that are in flight. Ids keep counting, and waits go on.
  ///
  /// - Returns: how many exchanges were removed.
  @discardableResult
  package func clear() -> Int {
    state.withLock { state in
      let count = state.exchanges.count
      (state.exchanges, state.underWay, state.weight, state.lost, state.lastLostID) = ([], [:], 0, 0, 0)
      for index in state.waiters.indices { state.waiters[index].matched = 0 }
      return count
    }
  }

  /// Notes a request that has arrived.
  ///
  /// - Returns: its number, for ``end(_:with:)``.
  func begin(_ exchange: Exchange) -> Int64 {
    state.withLock { state in
      state.lastNumber += 1
      state.underWay[state.lastNumber] = exchange
      state.underWay[state.lastNumber]?.arrival = state.lastNumber
      return state.lastNumber
    }
  }

  /// Notes more of a request that is still being answered.
  func update(_ number: Int64, _ exchange: Exchange) {
    state.withLock { state in
      guard state.underWay[number] != nil else { return }
      state.underWay[number] = exchange
      state.underWay[number]?.arrival = number
    }
  }

  /// Records the exchange of a request that has ended, unless the journal was cleared since it began.
  func end(_ number: Int64, with exchange: Exchange) {
    state.withLock { state in
      guard state.underWay.removeValue(forKey: number) != nil else { return }
      state.lastID += 1
      var exchange = exchange
      (exchange.id, exchange.arrival) = (state.lastID, number)
      state.exchanges.append(exchange)
      state.weight += exchange.weight
      while state.exchanges.count > 1, state.exchanges.count > size || state.weight > maxWeight {
        let oldest = state.exchanges.removeFirst()
        state.weight -= oldest.weight
        state.lastLostID = oldest.id
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

extension Journal.State {
  /// - Parameter countsUnderWay: whether requests under way count that will match whatever their responses are.
  fileprivate func tally(of filter: ExchangeFilter, countsUnderWay: Bool) -> Tally {
    Tally(
      of: filter, among: exchanges, lastID: lastID, underWay: underWay.sorted { $0.key < $1.key }.map(\.value),
      countsUnderWay: countsUnderWay,
      loss: loss(since: filter.since))
  }

  fileprivate func tally(of order: [ExchangeFilter]) -> OrderTally {
    OrderTally(
      of: order, among: (exchanges + underWay.values).sorted { $0.arrival < $1.arrival },
      loss: loss(since: order.compactMap(\.since).min()))
  }

  /// The exchanges that are no longer kept, if one of them came after this id.
  private func loss(since id: Int64?) -> Tally.Loss? {
    lastLostID > id ?? 0 ? Tally.Loss(lost: lost, kept: exchanges.count) : nil
  }
}

// MARK: - Checks

extension Journal {
  /// For how long a check waits for requests under way that may change its result. Tests wait as long by default.
  package static let defaultPatience = Duration.seconds(5)

  /// Throws unless the filter matches as many exchanges as expected.
  ///
  /// A request under way counts if it matches whatever its response will be. If only its response decides, this waits for
  /// the response.
  ///
  /// - Parameters:
  ///   - counts: to `Int.max` for "at least", and from `Int.min` for "at most".
  ///   - patience: how long to wait for requests under way.
  /// - Returns: how many exchanges the filter matches.
  /// - Throws: ``ExchangeMismatch``, also if requests are still under way, or exchanges that may have matched are no longer
  ///   kept.
  @discardableResult
  package func verify(
    _ filter: ExchangeFilter, _ counts: ClosedRange<Int>, patience: Duration = defaultPatience
  ) async throws -> Int {
    let tally = try await look(patience: patience) {
      $0.tally(of: filter, countsUnderWay: true)
    } until: {
      $0.verdict(counts) != .open
    }
    guard tally.verdict(counts) == .asExpected else { throw ExchangeMismatch(expected: counts, tally) }
    return tally.matching.count
  }

  /// How many exchanges a filter matches. As ``verify(_:_:patience:)``, it waits for the requests under way that may match.
  ///
  /// - Throws: `ControlError` if that cannot be told.
  func exactCount(of filter: ExchangeFilter, patience: Duration = defaultPatience) async throws -> Int {
    let tally = try await look(patience: patience) {
      $0.tally(of: filter, countsUnderWay: true)
    } until: {
      $0.open.isEmpty || $0.loss != nil
    }
    if let loss = tally.loss { throw ControlError(.conflict, "The count cannot be told: \(loss.advice)") }
    guard tally.open.isEmpty else {
      let words = "\(counted(tally.open.count, "request")) that may match \(tally.open.count == 1 ? "is" : "are")"
      throw ControlError(.conflict, "The count cannot be told yet: \(words) still under way.")
    }
    return tally.matching.count
  }

  /// Throws unless exchanges came that the filters match, each after the one before. Others may have come in between.
  ///
  /// - Parameter patience: how long to wait for requests under way that may match once they have ended.
  /// - Throws: ``ExchangeMismatch``.
  package func verify(order: [ExchangeFilter], patience: Duration = defaultPatience) async throws {
    let tally = try await look(patience: patience) {
      $0.tally(of: order)
    } until: {
      $0.isComplete || !$0.isOpen
    }
    if !tally.isComplete { throw ExchangeMismatch(tally) }
  }

  /// Looks at the exchanges until the result is decided, or the time is over. It looks again after each request.
  private func look<Result>(
    patience: Duration, _ make: (State) -> Result, until isDecided: (Result) -> Bool
  ) async throws -> Result {
    let deadline = ContinuousClock.now + patience
    while true {
      let state = state.withLock(\.self)
      let result = make(state)
      let rest = deadline - .now
      if isDecided(result) || rest <= .zero { return result }
      do {
        _ = try await exchanges(matching: .any.since(state.lastID), within: rest)
      } catch is ExchangeMismatch {
        // No request has ended.
      }
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
  /// Waits until the filter matches `count` exchanges that have ended. Those that are already in the journal count.
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
            expected: count...Int.max, state.tally(of: filter, countsUnderWay: false), within: timeout))
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
