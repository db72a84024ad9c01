import Glibc
import Synchronization
import Testing

@testable import Platform

/// A governor's looks at a process whose memory the test sets.
@Suite struct MemoryGovernorTests {
  private static let mebibyte = 1 << 20
  private static let base = 20 * mebibyte

  /// A process that has 20 MiB before any client is connected.
  private final class Process: Sendable {
    let budget = MemoryBudget(limit: 128 * mebibyte)
    let resident = Atomic<Int>(base)
    let allocated = Atomic<Int>(base)
    let now = Atomic<Int>(0)
    let questions = Atomic<Int>(0)
    let returns = Atomic<Int>(0)
    /// How long the allocator takes for its answer, in milliseconds.
    let cost = Atomic<Int>(0)

    func look() -> MemoryLook {
      var look = MemoryLook(
        budget: budget,
        process: ProcessMemory(
          resident: { self.resident.load(ordering: .relaxed) },
          allocated: {
            self.questions.add(1, ordering: .relaxed)
            self.now.add(self.cost.load(ordering: .relaxed), ordering: .relaxed)
            return self.allocated.load(ordering: .relaxed)
          },
          returnUnused: {
            self.returns.add(1, ordering: .relaxed)
            self.resident.store(self.allocated.load(ordering: .relaxed), ordering: .relaxed)
          }), clock: { Int64(self.now.load(ordering: .relaxed)) })
      look.begin()
      return look
    }

    /// Both measures, in MiB beyond the base.
    func hold(_ allocated: Int, resident: Int? = nil) {
      self.allocated.store(base + allocated * mebibyte, ordering: .relaxed)
      self.resident.store(base + (resident ?? allocated) * mebibyte, ordering: .relaxed)
    }

    /// Looks ten times a second.
    func look(_ look: inout MemoryLook, seconds: Int) {
      for _ in 0..<(10 * seconds) {
        now.add(100, ordering: .relaxed)
        look.next()
      }
    }

    /// So many requests that wait.
    func requests(_ count: Int) -> [MemoryReservation] { (0..<count).map { _ in MemoryReservation(of: budget) } }
  }

  private let process = Process()

  @Test func `memory that nobody has reserved counts beyond what the process has for itself`() {
    var look = process.look()
    let requests = process.requests(17)
    process.hold(MemoryLook.ownGrowth / Self.mebibyte)
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes == 0)
    process.hold(MemoryLook.ownGrowth / Self.mebibyte + 50)
    process.look(&look, seconds: 60)
    #expect(process.budget.usedBytes == 50 * Self.mebibyte)
    #expect(process.budget.uncountedBytes == process.budget.usedBytes)
    #expect(requests[0].resize(to: 30 * Self.mebibyte))
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes == 50 * Self.mebibyte)
    process.hold(0)
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes == 30 * Self.mebibyte)
    withExtendedLifetime(requests) {}
  }

  @Test func `memory that was freed, or was never written to, does not count`() {
    var look = process.look()
    let requests = process.requests(17)
    process.hold(0, resident: 100)
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes == 0)
    process.hold(1000, resident: 100)
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes == 100 * Self.mebibyte - MemoryLook.ownGrowth)
    withExtendedLifetime(requests) {}
  }

  @Test func `pages that the allocator does not know are no less memory`() {
    var look = process.look()
    let requests = process.requests(17)
    process.budget.addPages(90 * Self.mebibyte)
    process.hold(70, resident: 160)
    process.look(&look, seconds: 1)
    #expect(process.budget.uncountedBytes == 70 * Self.mebibyte - MemoryLook.ownGrowth)
    process.budget.subtractPages(90 * Self.mebibyte)
    withExtendedLifetime(requests) {}
  }

  @Test func `the allocator is asked only if there is more than is explained, and for a twentieth of the time at most`()
  {
    var look = process.look()
    process.look(&look, seconds: 100)
    #expect(process.questions.load(ordering: .relaxed) <= 2)
    let requests = process.requests(17)
    process.cost.store(80, ordering: .relaxed)
    process.hold(0, resident: 100)
    let before = process.questions.load(ordering: .relaxed)
    process.look(&look, seconds: 100)
    #expect(process.questions.load(ordering: .relaxed) - before <= 100_000 / (20 * 80) + 1)
    // What is resident since the last question counts at once.
    process.hold(60, resident: 160)
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes > 0)
    withExtendedLifetime(requests) {}
  }

  @Test func `what the process has while next to nobody is being served is its own`() {
    var look = process.look()
    process.hold(100)
    process.look(&look, seconds: 1)
    #expect(process.budget.usedBytes > 0)
    process.look(&look, seconds: 2)
    #expect(process.budget.usedBytes == 0)
    // Until it has less again.
    process.hold(0)
    process.look(&look, seconds: 1)
    let requests = process.requests(17)
    process.hold(100)
    process.look(&look, seconds: 60)
    #expect(process.budget.usedBytes == 100 * Self.mebibyte - MemoryLook.ownGrowth)
    withExtendedLifetime(requests) {}
  }

  @Test func `nothing that requests or responses hold becomes the process's own, however long they hold it`() {
    var look = process.look()
    for requests in [process.requests(17), process.requests(1)] {
      // One that has reserved much, and the crowd that has reserved nothing.
      _ = requests.count == 1 && requests[0].resize(to: 9 * Self.mebibyte)
      process.hold(200)
      process.look(&look, seconds: 3600)
      #expect(process.budget.isExhausted)
    }
  }

  @Test func `no request that waits begins once memory has been exhausted for seconds, and then the base is found`() {
    var look = process.look()
    var requests = process.requests(17)
    process.hold(300)
    process.look(&look, seconds: 4)
    #expect(process.budget.isExhausted && !process.budget.isOverrun)
    process.look(&look, seconds: 2)
    #expect(process.budget.isOverrun)
    requests = []
    process.look(&look, seconds: 3)
    #expect(process.budget.usedBytes == 0 && !process.budget.isOverrun)
    withExtendedLifetime(requests) {}
  }

  @Test func `what was freed goes back to the system, whether or not it was counted`() {
    var look = process.look()
    let requests = process.requests(200)
    process.hold(150)
    process.look(&look, seconds: 20)
    #expect(process.returns.load(ordering: .relaxed) == 0)
    process.hold(10, resident: 150)
    process.look(&look, seconds: 6)
    #expect(process.returns.load(ordering: .relaxed) == 1)
    // Gaps that cannot go back are no reason to try again.
    process.hold(10, resident: 40)
    process.look(&look, seconds: 6)
    let returns = process.returns.load(ordering: .relaxed)
    process.hold(10, resident: 12)
    process.look(&look, seconds: 60)
    #expect(process.returns.load(ordering: .relaxed) == returns)
    withExtendedLifetime(requests) {}
  }

  @Test func `it sees what this process has`() throws {
    let process = ProcessMemory.ofThisProcess
    let before = process.allocated()
    let bytes = [UInt8](repeating: 1, count: 64 * Self.mebibyte)
    try #require(process.resident() > 0)
    #expect(process.resident() >= bytes.count)
    // Sanitizers have an allocator of their own.
    #expect(before == 0 || process.allocated() >= bytes.count)
  }

  @Test func `its thread looks until it is stopped`() throws {
    let process = Process()
    let looks = process.budget.lookCount
    let governor = MemoryGovernor(of: process.budget)
    try governor.start()
    while process.budget.lookCount == looks { sched_yield() }
    governor.stop()
  }
}
