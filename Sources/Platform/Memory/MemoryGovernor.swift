import Synchronization

/// Looks at what the process really has in memory, and lets a `MemoryBudget` count what nobody has reserved: whatever a
/// part of the server forgets to count is bounded all the same. `ConnectionTable` in HTTPServer lets connections give
/// way.
package final class MemoryGovernor: Sendable {
  /// Milliseconds between two looks, and while many requests wait: a thousand that take a megabyte each would otherwise
  /// have it before the first look.
  private static let interval: Int64 = 100
  private static let crowdInterval: Int64 = 10

  private let budget: MemoryBudget
  private let state: Monitor<State>

  private struct State {
    var look: MemoryLook
    var thread: Thread?
    var isStopping = false
  }

  package convenience init(of budget: MemoryBudget) {
    self.init(of: budget, process: .ofThisProcess)
  }

  init(of budget: MemoryBudget, process: ProcessMemory) {
    self.budget = budget
    state = Monitor(State(look: MemoryLook(budget: budget, process: process, clock: monotonicMilliseconds)))
  }

  /// Begins to look, on a thread of its own: a look can take long. What the process has now is its own, so no client may
  /// be connected yet.
  package func start() throws(SystemError) {
    state.withLock { $0.look.begin() }
    let thread = try Thread(named: "memory") { [self] in
      while waitForLook() { state.withLock { $0.look.next() } }
    }
    budget.observeCrowds { [state] in state.notifyAll() }
    state.withLock { $0.thread = thread }
  }

  /// Ends the thread. Blocks meanwhile.
  package func stop() {
    budget.observeCrowds(nil)
    let thread = state.withLock { state in
      state.isStopping = true
      return state.thread.take()
    }
    state.notifyAll()
    thread?.join()
  }

  /// - Returns: false once the governor is to stop.
  private func waitForLook() -> Bool {
    let now = monotonicMilliseconds()
    let isStopping = state.wait(until: now &+ Self.crowdInterval) { $0.isStopping ? true : nil } ?? false
    guard !isStopping else { return false }
    return state.wait(until: now &+ Self.interval) { [budget] state in
      state.isStopping ? false : budget.isCrowded ? true : nil
    } ?? true
  }
}

/// One look after the other.
///
/// `base` is what the process has for itself: in the beginning what it has before any client is connected, and room for
/// its caches. It must not be too low for ever, or every request would be refused, and must not rise because clients hold
/// something, or they could hold more. So it rises only to what is there when next to nobody is being served, and that for
/// longer than a connection keeps its place when memory is exhausted; and it falls as soon as less is there.
///
/// A base that is too low corrects itself: while memory is exhausted, requests with bodies are refused and those under way
/// give way, and if that does not help for `overrunTime`, no request that waits for anything begins. Then next to nobody
/// is being served, and what is still there is the process's own.
struct MemoryLook {
  /// For the caches of lists and downloads (20 MiB), SQLite's pages, tables of limits, and idle connections.
  static let ownGrowth = 32 << 20
  /// Next to nobody: so many reservations.
  static let maxQuietReservations = 16
  /// Milliseconds.
  static let quietTime: Int64 = 2_000
  static let overrunTime: Int64 = 5_000
  /// Between two times that unused memory is returned.
  static let returnInterval: Int64 = 5_000
  /// Less is not worth the time.
  static let minReturned = 4 << 20
  /// The allocator is asked for a twentieth of the time at most, and no more often than this.
  static let restPerCost: Int64 = 20
  static let minRest: Int64 = 100

  let budget: MemoryBudget
  let process: ProcessMemory
  /// Monotonic milliseconds.
  let clock: @Sendable () -> Int64

  private var leastBase = 0
  private(set) var base = 0
  /// Of the resident bytes, those that were free when the allocator was last asked.
  private var unused = 0
  private var resident = 0
  private var lastQuestion: Int64 = .min
  private var nextQuestion: Int64 = .min
  /// Since when next to nobody has been served, and the least that the process had meanwhile.
  private var quiet: (since: Int64, least: Int)?
  private var exhaustedSince: Int64?
  /// The least that was unused since some was returned.
  private var leastUnused = 0
  private var nextReturn: Int64 = 0
  /// What was there when memory was last considered for return.
  private var considered = 0

  init(budget: MemoryBudget, process: ProcessMemory, clock: @escaping @Sendable () -> Int64) {
    (self.budget, self.process, self.clock) = (budget, process, clock)
  }

  mutating func begin() {
    resident = process.resident()
    leastUnused = unusedBytes(process.allocated())
    leastBase = resident - budget.countedBytes + Self.ownGrowth
    base = leastBase
  }

  mutating func next() {
    let now = clock()
    let before = resident
    resident = process.resident()
    // Pages that went back to the system were unused.
    if resident < before { unused = max(0, unused - (before - resident)) }
    let counted = budget.countedBytes
    // Most of the time, all that is resident is explained.
    var isNew = resident - counted <= base
    if isNew { unused = 0 } else { isNew = askAllocator(at: now) }
    let own = resident - unused - counted
    learnBase(own: own, counted: counted, at: now)
    budget.setUncounted(max(0, own - base), isNew: isNew)
    noteOverrun(at: now)
    returnUnused(at: now)
  }

  /// Finds `unused` anew, unless that was too short a time ago. Until then what comes to be resident is in use.
  private mutating func askAllocator(at now: Int64) -> Bool {
    guard now != lastQuestion else { return true }
    guard now >= nextQuestion else { return false }
    lastQuestion = now
    let allocated = process.allocated()
    nextQuestion = now &+ max(Self.minRest, Self.restPerCost * (clock() &- now))
    unused = unusedBytes(allocated)
    return true
  }

  private func unusedBytes(_ allocated: Int) -> Int {
    allocated == 0 ? resident : max(0, resident - allocated - budget.pageBytes)
  }

  private mutating func learnBase(own: Int, counted: Int, at now: Int64) {
    base = max(leastBase, min(base, own))
    guard budget.reservationCount <= Self.maxQuietReservations, counted <= budget.limit / 16 else {
      quiet = nil
      return
    }
    let (since, least) = quiet ?? (now, own)
    quiet = (since, min(least, own))
    guard now &- since >= Self.quietTime else { return }
    base = max(base, min(least, own))
    quiet = nil
  }

  private mutating func noteOverrun(at now: Int64) {
    exhaustedSince = budget.isExhausted && budget.isMuchUncounted ? exhaustedSince ?? now : nil
    budget.setOverrun(exhaustedSince.map { now &- $0 >= Self.overrunTime } ?? false)
  }

  /// Returns what was freed, such as after a wave of clients.
  private mutating func returnUnused(at now: Int64) {
    guard now >= nextReturn else { return }
    // A server that is idle need not ask the allocator.
    let there = resident - budget.countedBytes
    guard unused > 0 || abs(there - considered) >= Self.minReturned / 4 else { return }
    guard askAllocator(at: now) else { return }
    (considered, nextReturn) = (there, now &+ Self.returnInterval)
    leastUnused = min(leastUnused, unused)
    guard unused - leastUnused >= Self.minReturned else { return }
    process.returnUnused()
    resident = process.resident()
    unused = unusedBytes(process.allocated())
    // Gaps that are smaller than a page stay.
    leastUnused = unused
  }
}
