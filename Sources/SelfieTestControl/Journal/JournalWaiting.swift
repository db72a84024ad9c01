/// A test that waits for exchanges.
struct Waiter {
  let id: UInt64
  let matcher: ExchangeMatcher
  let count: Int
  let timeout: Duration
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

/// The limit of concurrent waits is reached.
public struct TooManyWaiters: Error, CustomStringConvertible {
  public let description = "\(Journal.maxWaiters) wait for requests already, as many as may."
}

/// The server stops or the world is closed, so no more requests will come.
public struct WaitingEnded: Error, CustomStringConvertible {
  public let description = "The server stops, or this world has been ended, so that no more requests will come."
}

extension Journal {
  /// Waits until the filter matches `count` exchanges. Those that are already in the journal count.
  ///
  /// - Parameters:
  ///   - timeout: a real time, independent of the world's clock.
  ///   - givesWay: whether the wait ends when there is no room for another one.
  /// - Returns: all matching exchanges in the journal, oldest first; none if the wait has given way.
  /// - Throws: ``ExchangeMismatch`` after the timeout, with what happened instead; `CancellationError` when the task is
  ///   cancelled; ``TooManyWaiters``; ``WaitingEnded``.
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
        begin(id, filter, count, timeout, givesWay, continuation)
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
    for waiter in waiters { waiter.finish(.failure(WaitingEnded())) }
  }

  private func begin(
    _ id: UInt64, _ filter: ExchangeFilter, _ count: Int, _ timeout: Duration, _ givesWay: Bool,
    _ continuation: CheckedContinuation<[Exchange], any Error>
  ) {
    let matcher = ExchangeMatcher(filter)
    var displaced: Waiter?
    let result = state.withLock { state -> Result<[Exchange], any Error>? in
      let exchanges = state.kept.all(matching: matcher)
      if exchanges.count >= count { return .success(exchanges) }
      guard !state.isWaitingOver else { return .failure(WaitingEnded()) }
      if state.waiters.count >= Self.maxWaiters {
        guard let oldest = state.waiters.firstIndex(where: \.givesWay) else { return .failure(TooManyWaiters()) }
        displaced = state.waiters.remove(at: oldest)
      }
      let timer = Task {
        guard (try? await Task.sleep(for: timeout)) != nil else { return }
        self.expire(id)
      }
      state.waiters.append(
        Waiter(
          id: id, matcher: matcher, count: count, timeout: timeout, givesWay: givesWay,
          continuation: continuation, timer: timer, matched: exchanges.count))
      return nil
    }
    displaced?.finish(.success([]))
    if let result { continuation.resume(with: result) }
  }

  private func expire(_ id: UInt64) {
    end(id) { waiter, state in
      ExchangeMismatch(
        expected: .atLeast(waiter.count), waiter.matcher.filter, within: waiter.timeout,
        among: state.kept.all, lost: state.lost)
    }
  }

  private func cancel(_ id: UInt64) {
    end(id) { _, _ in CancellationError() }
  }

  private func end(_ id: UInt64, _ error: (Waiter, State) -> any Error) {
    let ended = state.withLock { state -> (waiter: Waiter, error: any Error)? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      let waiter = state.waiters.remove(at: index)
      return (waiter, error(waiter, state))
    }
    if let ended { ended.waiter.finish(.failure(ended.error)) }
  }
}

extension Journal.State {
  /// Removes the waiters that have waited for nothing but `exchange`.
  mutating func takeWaiters(satisfiedBy exchange: Exchange) -> [(waiter: Waiter, exchanges: [Exchange])] {
    for index in waiters.indices where waiters[index].matcher.matches(exchange) { waiters[index].matched += 1 }
    let satisfied = waiters.filter { $0.matched >= $0.count }
    guard !satisfied.isEmpty else { return [] }
    waiters.removeAll { $0.matched >= $0.count }
    return satisfied.map { ($0, kept.all(matching: $0.matcher)) }
  }
}
