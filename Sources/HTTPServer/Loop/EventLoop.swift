import CLinux
import Glibc
import Platform
import Synchronization

/// A thread that waits for events on its sockets, and runs the tasks of their requests between two waits. Its
/// connections are in a `ConnectionTable`.
///
/// As a `TaskExecutor` it keeps a request's handler on the thread of its connection: there is no lock and no switch of
/// threads, and the connection's state needs no protection. Work that blocks goes to a `WorkerPool` in Platform.
package final class EventLoop: TaskExecutor {
  let poller: Poller
  private let inbox = Monitor<[UnownedJob]>([])
  private let threadID = Atomic<UInt>(0)
  private let isStopping = Atomic<Bool>(false)
  /// How many connections this loop has. The server gives new ones to the loop with the fewest.
  let load = Atomic<Int>(0)
  /// Clients of this loop for which there was no room, and which are being told so.
  let refusedClients = Atomic<Int>(0)
  let counters = LoopCounters()

  init() throws(SystemError) {
    poller = try Poller()
  }

  func countOpened(isOverCapacity: Bool) {
    if isOverCapacity { refusedClients.add(1, ordering: .relaxed) } else { load.add(1, ordering: .relaxed) }
  }

  func countClosed(isOverCapacity: Bool) {
    if isOverCapacity { refusedClients.subtract(1, ordering: .relaxed) } else { load.subtract(1, ordering: .relaxed) }
  }

  /// Whether the calling thread is the loop's.
  var isCurrent: Bool {
    threadID.load(ordering: .relaxed) == UInt(pthread_self())
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasEmpty = inbox.withLock { inbox in
      inbox.append(job)
      return inbox.count == 1
    }
    // The loop's own thread needs no wake-up: it runs submitted work before it waits again.
    if wasEmpty && !isCurrent { poller.wake() }
  }

  /// Runs a closure on the loop's thread, soon.
  func execute(_ call: @escaping @Sendable () -> Void) {
    Task(executorPreference: self) { call() }
  }

  /// Ends `run` after its current turn.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    poller.wake()
  }

  /// The amount of work that was submitted and has not begun.
  var submittedCount: Int { inbox.withLock { $0.count } }

  /// Serves until `stop`, on the loop's thread.
  ///
  /// - Parameters:
  ///   - turn: called after each wait with its events, before submitted work, and with whether work of the turn before has
  ///     yet to begin.
  ///   - endOfTurn: called after that work, before the next wait.
  ///   - timeout: how long the next wait may take, in milliseconds; -1 for ever.
  func run(turn: (_ events: [Poller.Event], _ isBehind: Bool) -> Void, endOfTurn: () -> Void, timeout: () -> Int32) {
    var events: [Poller.Event] = []
    var isBehind = false
    var lastToken: UInt64?
    while !isStopping.load(ordering: .acquiring) {
      let hasWork = inbox.withLock { !$0.isEmpty }
      let timeout = hasWork ? 0 : timeout()
      if let token = events.last?.token {
        // Several clients are asking. If those on this machine may run now, they send more, which one turn answers.
        // Otherwise each request would wake this thread, which would preempt its client: two switches for one request.
        if timeout != 0 && events.contains(where: { $0.token != lastToken }) { sched_yield() }
        lastToken = token
      }
      poller.wait(timeout: timeout, into: &events)
      turn(events, isBehind)
      isBehind = !runSubmitted()
      endOfTurn()
    }
    // The last work may cancel tasks, which submit more: they would otherwise never end.
    while submittedCount > 0 { _ = runSubmitted() }
    endOfTurn()
  }

  /// Makes the calling thread the loop's.
  func adoptCurrentThread() {
    threadID.store(UInt(pthread_self()), ordering: .relaxed)
  }

  /// Runs the work that has been submitted so far, for a millisecond. The rest, and work submitted meanwhile, runs after the
  /// next events: a client whose request has just arrived does not wait for hundreds of long responses.
  ///
  /// - Returns: whether all of it has begun.
  private func runSubmitted() -> Bool {
    let work = inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
    // Most requests are answered at once: their turns need not ask for the time.
    guard !work.isEmpty else { return true }
    let executor = asUnownedTaskExecutor()
    let end = monotonicNanoseconds() &+ Self.submittedTime
    for (index, job) in work.enumerated() {
      job.runSynchronously(on: executor)
      if index + 1 < work.count && monotonicNanoseconds() >= end {
        inbox.withLock { $0.insert(contentsOf: work[(index + 1)...], at: 0) }
        return false
      }
    }
    return true
  }

  /// Nanoseconds.
  private static let submittedTime: Int64 = 1_000_000
}
