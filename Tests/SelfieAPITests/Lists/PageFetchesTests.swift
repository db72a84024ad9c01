import Platform
import TestSupport
import Testing

@testable import SelfieAPI

@Suite(.timeLimit(.minutes(1))) struct PageFetchesTests {
  private let fetches = PageFetches()
  private let firstGate = Gate()
  private let gate = Gate()

  @Test func `clients take turns`() async throws {
    let running = try await fetches.occupied(until: gate, first: firstGate)
    let order = Monitor("")
    var waiting: [Task<Void, any Error>] = []
    for (client, name) in [(1, "a"), (1, "b"), (1, "c"), (2, "x")] {
      let count = fetches.waitingCount
      waiting.append(
        Task { try await fetches.run(Turn(client: client)) { order.withLock { $0 += name } } })
      try await waitUntil { fetches.waitingCount == count + 1 }
    }
    firstGate.open()
    for task in waiting { try await task.value }
    #expect(order.withLock { $0 } == "axbc")
    gate.open()
    for task in running { try await task.value }
  }

  @Test func `nothing is fetched for a client that is gone`() async throws {
    let running = try await fetches.occupied(until: gate, first: firstGate)
    let waiting = Task { try await fetches.run(Turn()) { Issue.record("the client is gone") } }
    try await waitUntil { fetches.waitingCount == 1 }
    waiting.cancel()
    firstGate.open()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.open()
    for task in running { try await task.value }
  }
}

extension PageFetches {
  /// Begins as many fetches as may run at once, which end when the gate opens. The first may have a gate of its own.
  func occupied(until gate: Gate, first: Gate? = nil) async throws -> [Task<Void, any Error>] {
    let running = Monitor(0)
    let tasks = (0..<Self.maxAtOnce).map { number in
      Task {
        try await run(Turn()) {
          running.withLock { $0 += 1 }
          await (number == 0 ? first ?? gate : gate).wait()
        }
      }
    }
    try await waitUntil { running.withLock { $0 } == Self.maxAtOnce }
    return tasks
  }
}
