import Platform

/// Where writes wait for the writer thread, first come, first served, up to a limit.
final class WriteQueue: Sendable {
  private struct State {
    var waiting: [WriteJob] = []
    var isClosed = false
  }

  private let limit: Int
  private let state = Monitor(State())

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { state.withLock { $0.waiting.count } }

  /// Nil if `job` will be run; else why not.
  func append(_ job: WriteJob) -> (any Error)? {
    let refusal = state.withLock { state -> (any Error)? in
      if state.isClosed { return DatabaseClosed() }
      if state.waiting.count >= limit { return DatabaseBusy() }
      state.waiting.append(job)
      return nil
    }
    if refusal == nil { state.notifyOne() }
    return refusal
  }

  /// Waits until there is a job, and takes the first ones, `max` at most; nil once the queue is closed and empty.
  func next(max: Int) -> [WriteJob]? {
    state.wait { state -> [WriteJob]?? in
      if state.waiting.isEmpty { return state.isClosed ? .some(nil) : nil }
      let jobs = Array(state.waiting.prefix(max))
      state.waiting.removeFirst(jobs.count)
      return .some(jobs)
    }
  }

  /// Takes no more jobs. Those that wait will still be run.
  func close() {
    state.withLock { $0.isClosed = true }
    state.notifyAll()
  }
}
