/// A few threads for work that blocks, with a bounded queue.
///
/// Threads are started when there is work for them, up to a limit, and stay.
public final class WorkerPool: Sendable {
  private typealias Job = @Sendable () -> Void

  private struct State {
    var queue: [Job] = []
    /// The first of `queue` that still waits.
    var first = 0
    var threads: [Thread] = []
    var idle = 0
    var isEnding = false

    var waiting: Int { queue.count - first }

    mutating func next() -> Job? {
      guard first < queue.count else { return nil }
      let job = queue[first]
      first += 1
      if first == queue.count || first > 1024 {
        queue.removeFirst(first)
        first = 0
      }
      return job
    }
  }

  private let name: String
  private let niceness: Int
  private let maxThreads: Int
  private let maxWaiting: Int
  private let state = Monitor(State())

  /// - Parameters:
  ///   - name: of the threads, as ps and top show it.
  ///   - niceness: of the threads: how far they give way to others, 0 to 19 (nice(2)).
  ///   - threads: how many jobs run at once.
  ///   - waiting: how many jobs may wait; beyond it `run` throws at once.
  public init(name: String, niceness: Int = 0, threads: Int, waiting: Int) {
    self.name = name
    self.niceness = niceness
    maxThreads = max(1, threads)
    maxWaiting = waiting
  }

  /// Runs the work on one of the threads and returns to the caller's executor.
  ///
  /// - Throws: `WorkerPoolFull` if too many jobs wait already, or the work's error.
  public func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withUnsafeThrowingContinuation { continuation in
      let isTaken = submit {
        do {
          continuation.resume(returning: try work())
        } catch {
          continuation.resume(throwing: error)
        }
      }
      if !isTaken { continuation.resume(throwing: WorkerPoolFull()) }
    }
  }

  /// As `run`, but work that still waits when its task is cancelled does not run: `CancellationError` is thrown.
  public func runUnlessCancelled<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let isCancelled = Monitor(false)
    return try await withTaskCancellationHandler {
      try await run {
        guard !isCancelled.withLock({ $0 }) else { throw CancellationError() }
        return try work()
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Runs the jobs that wait, then ends the threads. Blocks meanwhile.
  public func shutDown() {
    let threads = state.withLock { state in
      state.isEnding = true
      defer { state.threads = [] }
      return state.threads
    }
    state.notifyAll()
    for thread in threads { thread.join() }
  }

  /// Runs a job on one of the threads and does not wait for it; false if too many jobs wait already, or after
  /// `shutDown`.
  public func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isEnding else { return false }
      if state.idle <= state.waiting && state.threads.count < maxThreads, let thread = startThread() {
        state.threads.append(thread)
        state.idle += 1
      }
      guard state.waiting < maxWaiting + state.idle, !state.threads.isEmpty else { return false }
      state.queue.append(job)
      return true
    }
    if isTaken { state.notifyOne() }
    return isTaken
  }

  private enum Next {
    case job(Job)
    case end
  }

  /// What a thread does next; nil while it must wait.
  private static func next(_ state: inout State) -> Next? {
    if let job = state.next() {
      state.idle -= 1
      return .job(job)
    }
    return state.isEnding ? .end : nil
  }

  private func startThread() -> Thread? {
    // If the system has no thread to give, the work waits for the pool's other threads.
    try? Thread(named: name, niceness: niceness) { [self] in work() }
  }

  private func work() {
    while case .job(let job) = state.wait(for: Self.next) {
      job()
      state.withLock { $0.idle += 1 }
    }
  }
}

/// The queue of a worker pool is full: the server has more to do than it can.
public struct WorkerPoolFull: Error {
  public init() {}
}
