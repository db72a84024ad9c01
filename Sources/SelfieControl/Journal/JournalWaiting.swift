/// Somebody who waits for exchanges.
struct Waiter {
  let id: UInt64
  let matcher: ExchangeMatcher
  let count: Int
  let timeout: Duration
  let continuation: CheckedContinuation<[Exchange], any Error>
  /// Ends the waiting when its time is over.
  let timer: Task<Void, Never>
  /// How many there have been.
  var matched: Int

  struct Answer {
    let waiter: Waiter
    let result: Result<[Exchange], any Error>

    /// Without the journal's lock.
    func give() {
      waiter.timer.cancel()
      waiter.continuation.resume(with: result)
    }
  }
}

/// As many wait already as may.
public struct TooManyWaiters: Error, CustomStringConvertible {
  public let description = "\(Journal.maxWaiters) wait for requests already, as many as may."
}

/// The server stops, or the world ends: what is waited for will not come.
public struct WaitingEnded: Error, CustomStringConvertible {
  public let description = "The server stops, or this world has been ended, so that no more requests will come."
}

extension Journal {
  /// Waits until there are so many exchanges of those that a filter means; those that are there already count.
  ///
  ///     let uploads = try await server.requests.wait(for: .post("/api/upload_photo", status: 200), count: 2)
  ///
  /// - Parameter timeout: in real time, whatever the world's clock shows.
  /// - Returns: all of them that the journal has by then, oldest first.
  /// - Throws: ``ExchangeMismatch`` when the time is over, with what there is instead; `CancellationError` when the
  ///   task is cancelled; ``TooManyWaiters``; ``WaitingEnded``.
  @discardableResult
  public func wait(
    for filter: ExchangeFilter = .any, count: Int = 1, timeout: Duration = .seconds(5)
  ) async throws -> [Exchange] {
    let id = state.withLock { state in
      state.lastWaiterID += 1
      return state.lastWaiterID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(id, filter, count, timeout, continuation)
        // Whoever cancelled before it began has found nobody to end.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Ends all waiting for good, so that a server that stops need not wait for those who wait.
  func endWaiting() {
    let answers = state.withLock { state in
      defer { state.waiters = [] }
      state.isWaitingOver = true
      return state.waiters.map { Waiter.Answer(waiter: $0, result: .failure(WaitingEnded())) }
    }
    for answer in answers { answer.give() }
  }

  private func begin(
    _ id: UInt64, _ filter: ExchangeFilter, _ count: Int, _ timeout: Duration,
    _ continuation: CheckedContinuation<[Exchange], any Error>
  ) {
    let matcher = ExchangeMatcher(filter)
    let result = state.withLock { state -> Result<[Exchange], any Error>? in
      let exchanges = state.kept.all(matching: matcher)
      if exchanges.count >= count { return .success(exchanges) }
      guard !state.isWaitingOver else { return .failure(WaitingEnded()) }
      guard state.waiters.count < Self.maxWaiters else { return .failure(TooManyWaiters()) }
      let timer = Task {
        guard (try? await Task.sleep(for: timeout)) != nil else { return }
        self.expire(id)
      }
      state.waiters.append(
        Waiter(
          id: id, matcher: matcher, count: count, timeout: timeout, continuation: continuation, timer: timer,
          matched: exchanges.count))
      return nil
    }
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
    let answer = state.withLock { state -> Waiter.Answer? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      let waiter = state.waiters.remove(at: index)
      return Waiter.Answer(waiter: waiter, result: .failure(error(waiter, state)))
    }
    answer?.give()
  }
}

extension Journal.State {
  /// Those who have waited for this exchange, and for nothing more.
  mutating func answersOfWaiters(to exchange: Exchange) -> [Waiter.Answer] {
    for index in waiters.indices where waiters[index].matcher.matches(exchange) { waiters[index].matched += 1 }
    let satisfied = waiters.filter { $0.matched >= $0.count }
    guard !satisfied.isEmpty else { return [] }
    waiters.removeAll { $0.matched >= $0.count }
    return satisfied.map { Waiter.Answer(waiter: $0, result: .success(kept.all(matching: $0.matcher))) }
  }
}
