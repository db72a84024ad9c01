import Platform

/// The writes that wait for the writer thread, in order of arrival and up to a limit.
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

  /// Returns nil if `job` will be run, and otherwise the reason why not.
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

  /// Waits for a job, and takes at most `max` of the first ones. Returns nil once the queue is closed and empty.
  func next(max: Int) -> [WriteJob]? {
    state.wait { state -> [WriteJob]?? in
      if state.waiting.isEmpty { return state.isClosed ? .some(nil) : nil }
      let jobs = Array(state.waiting.prefix(max))
      state.waiting.removeFirst(jobs.count)
      return .some(jobs)
    }
  }

  /// Refuses jobs from now on. Those that wait will still be run.
  func close() {
    state.withLock { $0.isClosed = true }
    state.notifyAll()
  }
}
