/// A few threads for work that blocks, with a bounded queue in which kinds of work and clients take turns. `FairQueue`
/// is that queue. Work that lasts has a `Thread` of its own.
///
/// Threads are started when there is work for them, up to a limit, and stay.
///
/// As a `TaskExecutor` it runs asynchronous functions whose parts block.
package final class WorkerPool: TaskExecutor {
  /// Does its work or, if it has lost its place to another client's, ends without.
  typealias Job = @Sendable (_ hasPlace: Bool) -> Void

  /// A pool's current and past work.
  package struct Statistics: Sendable {
    /// Jobs that no thread has taken yet.
    package let waiting: Int
    /// Threads at work.
    package let busy: Int
    /// Jobs that were refused since the start, because too many waited.
    package let refused: Int
  }

  private struct State {
    var queue = FairQueue<Job>()
    var threads: [Thread] = []
    var idle = 0
    var refused = 0
    var isEnding = false
  }

  package let name: String
  private let niceness: Int
  private let maxThreads: Int
  private let maxWaiting: Int
  private let state = Monitor(State())

  /// - Parameters:
  ///   - name: of the threads, as ps and top show it.
  ///   - niceness: of the threads: how far they give way to others, 0 to 19 (nice(2)).
  ///   - threads: how many jobs run at once.
  ///   - waiting: how many jobs of one kind may wait; beyond it `run` throws at once.
  package init(name: String, niceness: Int = 0, threads: Int, waiting: Int) {
    self.name = name
    self.niceness = niceness
    maxThreads = max(1, threads)
    maxWaiting = waiting
  }

  /// Runs the work on one of the threads and returns to the caller's executor.
  ///
  /// - Throws: `QueueFull` if too many jobs wait already, or the work's error.
  package func run<Result: Sendable>(
    flow: Flow = Flow(), _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withUnsafeThrowingContinuation { continuation in
      let job: Job = { hasPlace in
        do {
          guard hasPlace else { throw QueueFull() }
          continuation.resume(returning: try work())
        } catch {
          continuation.resume(throwing: error)
        }
      }
      if !submit(flow, job) { job(false) }
    }
  }

  /// As `run`, but work that still waits when its task is cancelled does not run: `CancellationError` is thrown.
  package func runUnlessCancelled<Result: Sendable>(
    flow: Flow = Flow(), _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let isCancelled = Monitor(false)
    return try await withTaskCancellationHandler {
      try await run(flow: flow) {
        guard !isCancelled.withLock({ $0 }) else { throw CancellationError() }
        return try work()
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Runs a job on one of the threads and does not wait for it; false if too many jobs wait already, or after
  /// `shutDown`.
  package func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
    // All such jobs are of one client, and none of them loses its place.
    submit(Flow()) { hasPlace in if hasPlace { job() } }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    // A task that never went on would leak.
    if !submit(run) { run() }
  }

  package var statistics: Statistics {
    state.withLock { state in
      Statistics(
        waiting: state.queue.count, busy: max(0, state.threads.count - state.idle), refused: state.refused)
    }
  }

  /// Runs the jobs that wait, then ends the threads. Blocks meanwhile.
  package func shutDown() {
    let threads = state.withLock { state in
      state.isEnding = true
      defer { state.threads = [] }
      return state.threads
    }
    state.notifyAll()
    for thread in threads { thread.join() }
  }

  /// Takes a job; false if it will never be called.
  func submit(_ flow: Flow, _ job: @escaping Job) -> Bool {
    var displaced: Job?
    let isTaken = state.withLock { state in
      guard !state.isEnding else { return false }
      // If the system has no thread to give, the work waits for the pool's other threads.
      if state.idle <= state.queue.count && state.threads.count < maxThreads,
        let thread = try? Thread(named: name, niceness: niceness, { [self] in work() })
      {
        state.threads.append(thread)
        state.idle += 1
      }
      guard !state.threads.isEmpty else { return false }
      if state.queue.count(ofKind: flow.kind) >= maxWaiting + state.idle {
        state.refused += 1
        displaced = state.queue.makeRoom(for: flow)
        guard displaced != nil else { return false }
      }
      state.queue.append(job, flow)
      return true
    }
    displaced?(false)
    if isTaken { state.notifyOne() }
    return isTaken
  }

  private func work() {
    while case .job(let job) = next() {
      job(true)
      state.withLock { $0.idle += 1 }
    }
  }

  private enum Next {
    case job(Job)
    /// The pool ends.
    case end
  }

  /// Waits for a job, or for the end of the pool.
  private func next() -> Next {
    state.wait { state in
      guard let job = state.queue.next() else { return state.isEnding ? .end : nil }
      state.idle -= 1
      return .job(job)
    }
  }
}

/// A queue of work is full: the server has more to do than it can. It may be tried again later.
package struct QueueFull: Error {
  package init() {}
}
