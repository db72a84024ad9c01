import Platform
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct WorkerPoolTests {
  @Test func `work runs elsewhere and its result comes back`() async throws {
    let pool = WorkerPool(name: "test", threads: 2, waiting: 8)
    defer { pool.shutDown() }
    #expect(try await pool.run { 6 * 7 } == 42)
  }

  @Test func `an error comes back`() async {
    struct Failure: Error {}
    let pool = WorkerPool(name: "test", threads: 1, waiting: 8)
    defer { pool.shutDown() }
    await #expect(throws: Failure.self) { try await pool.run { throw Failure() } }
  }

  @Test func `no more than the given threads work at once, and all the work gets done`() async throws {
    let pool = WorkerPool(name: "test", threads: 3, waiting: 10_000)
    defer { pool.shutDown() }
    let running = Count()
    let most = Count()
    let done = Count()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2_000 {
        group.addTask {
          try await pool.run {
            most.value.max(running.value.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            done.value.add(1, ordering: .relaxed)
            running.value.subtract(1, ordering: .relaxed)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(done.value.load(ordering: .relaxed) == 2_000)
    #expect(most.value.load(ordering: .relaxed) <= 3)
  }

  @Test func `beyond the line's limit work is refused at once, and taken again later`() async throws {
    let pool = WorkerPool(name: "test", threads: 1, waiting: 2)
    defer { pool.shutDown() }
    let gate = Semaphore()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 {
        group.addTask { (try? await pool.run { gate.wait() }) != nil }
      }
      // Those that were taken wait for the gate, so the refused ones end first.
      for _ in 0..<7 { #expect(await group.next() == false) }
      for _ in 0..<3 { gate.signal() }
      for _ in 0..<3 { #expect(await group.next() == true) }
    }
    #expect(try await pool.run { true })
  }

  @Test func `shutting down finishes what waits, and nothing is taken afterwards`() async throws {
    let pool = WorkerPool(name: "test", threads: 2, waiting: 100)
    let done = Count()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { try await pool.run { _ = done.value.add(1, ordering: .relaxed) } } }
      try await group.waitForAll()
    }
    pool.shutDown()
    #expect(done.value.load(ordering: .relaxed) == 50)
    await #expect(throws: WorkerPoolFull.self) { try await pool.run {} }
  }

  @Test func `what waits is not done once its task is cancelled`() async throws {
    let pool = WorkerPool(name: "test", threads: 1, waiting: 8)
    defer { pool.shutDown() }
    let (isBusy, release) = (Gate(), Semaphore())
    async let blocker: Void = pool.run {
      isBusy.open()
      release.wait()
    }
    await isBusy.wait()
    let isDone = Monitor(false)
    let cancelled = Task { try await pool.runUnlessCancelled { isDone.withLock { $0 = true } } }
    cancelled.cancel()
    release.signal()
    try await blocker
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(!isDone.withLock { $0 })
    #expect(try await pool.runUnlessCancelled { 7 } == 7)
  }
}

/// A number that several tasks may hold: a task's closure cannot capture an atomic itself.
private final class Count: Sendable {
  let value = Atomic<Int>(0)
}
