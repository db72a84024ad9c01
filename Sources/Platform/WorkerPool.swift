/// A few threads for work that blocks, and a bounded line before them.
///
/// Threads are started when there is work for them, up to a limit, and stay.
public final class WorkerPool: Sendable {
  private typealias Job = @Sendable () -> Void

  private struct State {
    var line: [Job] = []
    /// The first of `line` that still waits.
    var first = 0
    var threads: [Thread] = []
    var idle = 0
    var isEnding = false

    var waiting: Int { line.count - first }

    mutating func next() -> Job? {
      guard first < line.count else { return nil }
      let job = line[first]
      first += 1
      if first == line.count || first > 1024 {
        line.removeFirst(first)
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
  ///   - niceness: of the threads: how far they let others go first, 0 to 19 (nice(2)).
  ///   - threads: how much work is done at once.
  ///   - waiting: how much may wait; beyond it `run` throws at once.
  public init(name: String, niceness: Int = 0, threads: Int, waiting: Int) {
    self.name = name
    self.niceness = niceness
    maxThreads = max(1, threads)
    maxWaiting = waiting
  }

  /// Does the work on one of the threads and returns to the caller's executor.
  ///
  /// - Throws: `WorkerPoolFull` when too much waits already, or what the work throws.
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

  /// As `run`, but work that still waits when its task is cancelled is not done any more.
  ///
  /// - Throws: `CancellationError` then.
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

  /// Finishes what waits, then ends the threads. Blocks meanwhile.
  public func shutDown() {
    let threads = state.withLock { state in
      state.isEnding = true
      defer { state.threads = [] }
      return state.threads
    }
    state.notifyAll()
    for thread in threads { thread.join() }
  }

  /// Does the work on one of the threads, and nobody waits for it; false when too much waits already, or at the end.
  public func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isEnding else { return false }
      if state.idle <= state.waiting && state.threads.count < maxThreads, let thread = startThread() {
        state.threads.append(thread)
        state.idle += 1
      }
      guard state.waiting < maxWaiting + state.idle, !state.threads.isEmpty else { return false }
      state.line.append(job)
      return true
    }
    if isTaken { state.notifyOne() }
    return isTaken
  }

  /// A job; no job at the end; nil for neither yet.
  private static func take(_ state: inout State) -> Job?? {
    if let job = state.next() {
      state.idle -= 1
      return .some(job)
    }
    return state.isEnding ? .some(nil) : nil
  }

  private func startThread() -> Thread? {
    // Without another thread the work waits for those that are there.
    try? Thread(named: name, niceness: niceness) { [self] in work() }
  }

  private func work() {
    while let job = state.wait(for: Self.take) {
      job()
      state.withLock { $0.idle += 1 }
    }
  }
}

/// The line before a worker pool is full: the server has more to do than it can.
public struct WorkerPoolFull: Error {
  public init() {}
}
