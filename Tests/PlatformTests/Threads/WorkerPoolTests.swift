import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(10))) struct WorkerPoolTests {
  @Test func `the result of work comes back, or its error`() async throws {
    let pool = WorkerPool(name: "test", threads: 2, waiting: 8)
    defer { pool.shutDown() }
    #expect(try await pool.run { 6 * 7 } == 42)
    await #expect(throws: CancellationError.self) { try await pool.run { throw CancellationError() } }
  }

  @Test func `no more than the given threads work at once, and all the work gets done`() async throws {
    let pool = WorkerPool(name: "test", threads: 3, waiting: 10_000)
    defer { pool.shutDown() }
    let work = Monitor((running: 0, most: 0, done: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2_000 {
        group.addTask {
          try await pool.run {
            work.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1), $0.done) }
            work.withLock { $0 = ($0.running - 1, $0.most, $0.done + 1) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(work.withLock { $0.done } == 2_000)
    #expect(work.withLock { $0.most } <= 3)
  }

  @Test func `shutting down finishes what waits, and nothing is taken afterwards`() async throws {
    let pool = WorkerPool(name: "test", threads: 2, waiting: 100)
    let done = Monitor(0)
    for _ in 0..<50 { #expect(pool.submit { done.withLock { $0 += 1 } }) }
    pool.shutDown()
    #expect(done.withLock { $0 } == 50)
    await #expect(throws: QueueFull.self) { try await pool.run {} }
  }

  @Test func `what waits is not done once its task is cancelled`() async throws {
    let pool = WorkerPool(name: "test", threads: 1, waiting: 8)
    defer { pool.shutDown() }
    let (isDone, release) = (Monitor(false), try await pool.block())
    let cancelled = Task { try await pool.runUnlessCancelled { isDone.withLock { $0 = true } } }
    cancelled.cancel()
    release.signal()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(!isDone.withLock { $0 })
    #expect(try await pool.runUnlessCancelled { 7 } == 7)
  }

  @Test func `where a client fills the queue, another's job takes its newest place, and another kind has room`()
    async throws
  {
    let pool = WorkerPool(name: "test", threads: 1, waiting: 3)
    let (done, release) = (Monitor<[String]>([]), try await pool.block())
    for name in ["a", "b", "c"] { #expect(pool.submit(name, of: Flow(client: 1), into: done)) }
    #expect(!pool.submit("d", of: Flow(client: 1), into: done))
    #expect(pool.submit("x", of: Flow(client: 2), into: done))
    #expect(!pool.submit("y", of: Flow(client: 2), into: done))
    #expect(pool.submit("k", of: Flow(kind: 1, client: 1), into: done))
    #expect(done.withLock { $0 } == ["no c"])
    release.signal()
    pool.shutDown()
    #expect(done.withLock { $0 } == ["no c", "a", "k", "x", "b"])
  }

  @Test func `work beyond the limit is refused at once, which is counted as what waits and what works is`() async throws
  {
    let pool = WorkerPool(name: "test", threads: 2, waiting: 3)
    defer { pool.shutDown() }
    #expect(pool.statistics.busy == 0)
    let gate = Semaphore()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 { group.addTask { (try? await pool.run { gate.wait() }) != nil } }
      try? await waitUntil { pool.statistics.busy == 2 }
      for _ in 0..<3 { group.addTask { (try? await pool.run { gate.wait() }) != nil } }
      try? await waitUntil { pool.statistics.waiting == 3 }
      await #expect(throws: QueueFull.self) { try await pool.run {} }
      #expect(pool.statistics.refused == 1)
      for _ in 0..<5 { gate.signal() }
    }
    try await waitUntil { pool.statistics.busy == 0 }
    #expect(pool.statistics.waiting == 0)
    #expect(try await pool.run { true })
  }
}

extension WorkerPool {
  /// Keeps the one thread of a pool busy until the semaphore is signalled.
  fileprivate func block() async throws -> Semaphore {
    let (isBusy, release) = (Gate(), Semaphore())
    try #require(
      submit {
        isBusy.open()
        release.wait()
      })
    await isBusy.wait()
    return release
  }

  /// Submits a job that adds a name to a list, or `no` and the name if it loses its place.
  fileprivate func submit(_ name: String, of flow: Flow, into list: Monitor<[String]>) -> Bool {
    submit(flow) { hasPlace in list.withLock { $0.append(hasPlace ? name : "no \(name)") } }
  }
}
