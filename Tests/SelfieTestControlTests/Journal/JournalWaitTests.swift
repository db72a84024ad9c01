import TestSupport
import SelfieTestDocuments
import Testing

@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct JournalWaitTests {
  let journal = Journal()

  /// Waits in a task of its own, which has begun to wait when this returns.
  private func waiting(
    for filter: ExchangeFilter, count: Int = 1, timeout: Duration = .seconds(3600), givesWay: Bool = false
  ) async throws -> Task<[Exchange], any Error> {
    let before = journal.waiterCount
    let task = Task {
      try await journal.exchanges(matching: filter, atLeast: count, within: timeout, givesWay: givesWay)
    }
    try await waitUntil { journal.waiterCount > before }
    return task
  }

  @Test func `a later exchange ends a wait`() async throws {
    journal.add(.sample("GET", "/a"))
    let one = try await waiting(for: .get("/a"), count: 3)
    let other = try await waiting(for: .get("/b"))
    journal.add(.sample("GET", "/a"), .sample("POST", "/a"), .sample("GET", "/a"))
    #expect(try await one.value.map(\.id) == [1, 2, 4])
    #expect(journal.waiterCount == 1)
    journal.add(.sample("GET", "/b"))
    #expect(try await other.value.map(\.path) == ["/b"])
    #expect(journal.waiterCount == 0)
  }

  @Test func `it can be cancelled, also before it begins`() async throws {
    let begun = try await waiting(for: .any)
    begun.cancel()
    await #expect(throws: CancellationError.self) { try await begun.value }
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await journal.exchanges(within: .seconds(5))
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(journal.waiterCount == 0)
  }

  @Test func `exchanges before a clearing do not count`() async throws {
    let waiting = try await waiting(for: .any, count: 2)
    journal.add(.sample("GET", "/a"))
    journal.clear()
    journal.add(.sample("GET", "/b"))
    #expect(journal.waiterCount == 1)
    journal.add(.sample("GET", "/c"))
    #expect(try await waiting.value.map(\.path) == ["/b", "/c"])
  }

  @Test func `a server that stops ends all waits`() async throws {
    let waiting = try await waiting(for: .any)
    journal.endWaiting()
    await #expect(throws: ControlError.self) { try await waiting.value }
    await #expect(throws: ControlError.self) { try await journal.exchanges(within: .seconds(5)) }
  }

  @Test func `the number of waits is limited, and those that give way end for others`() async throws {
    var tasks: [Task<[Exchange], any Error>] = []
    for number in 0..<Journal.maxWaiters {
      tasks.append(try await waiting(for: .get("/a"), givesWay: number == 1 || number == 2))
    }
    // The oldest first.
    for _ in 1...2 {
      tasks.append(Task { try await journal.exchanges(matching: .get("/a"), within: .seconds(3600)) })
      #expect(try await tasks.remove(at: 1).value == [])
      try await waitUntil { journal.waiterCount == Journal.maxWaiters }
    }
    await #expect(throws: ControlError.self) { try await journal.exchanges(within: .seconds(5)) }
    journal.add(.sample("GET", "/a"))
    for task in tasks { #expect(try await task.value.count == 1) }
  }
}

extension Journal {
  fileprivate var waiterCount: Int { state.withLock { $0.waiters.count } }
}
