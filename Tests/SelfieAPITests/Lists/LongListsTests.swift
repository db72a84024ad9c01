import HTTPMessages
import Platform
import Testing

@testable import SelfieAPI

@Suite @MainActor struct LongListsTests {
  private let pool = WorkerPool(name: "lists", threads: 1, waiting: 100)
  private let lists: LongLists
  private let made = Monitor(0)

  init() {
    lists = LongLists(pool: pool, memory: MemoryBudget())
  }

  @Test func `all who ask before it is begun share one`() async throws {
    let isBusy = Monitor(true)
    #expect(pool.submit { isBusy.wait { $0 ? nil : () } })
    let requests = await ask(10)
    isBusy.withLock { $0 = false }
    isBusy.notifyAll()
    for request in requests { #expect(try await request.value == "[1]") }
    #expect(made.withLock { $0 } == 1)
  }

  @Test func `those who ask while it is made get the next one`() async throws {
    let (hasBegun, mayEnd) = (Monitor(false), Monitor(false))
    let first = await ask(1) {
      hasBegun.withLock { $0 = true }
      hasBegun.notifyAll()
      mayEnd.wait { $0 ? () : nil }
    }
    hasBegun.wait { $0 ? () : nil }
    let others = await ask(5)
    mayEnd.withLock { $0 = true }
    mayEnd.notifyAll()
    for request in first { #expect(try await request.value == "[1]") }
    for request in others { #expect(try await request.value == "[2]") }
    #expect(made.withLock { $0 } == 2)
  }

  @Test func `it is not made for clients that have all gone`() async throws {
    let isBusy = Monitor(true)
    #expect(pool.submit { isBusy.wait { $0 ? nil : () } })
    let requests = await ask(2)
    for request in requests { request.cancel() }
    isBusy.withLock { $0 = false }
    isBusy.notifyAll()
    for request in requests { await #expect(throws: CancellationError.self) { try await request.value } }
    #expect(made.withLock { $0 } == 0)
  }

  @Test func `all are told if the pool has no place`() async throws {
    pool.shutDown()
    for request in await ask(2) { await #expect(throws: WorkerPoolFull.self) { try await request.value } }
  }

  /// Asks for the same list, and returns when every request waits: on the main actor each runs until it suspends.
  private func ask(
    _ count: Int, before: @escaping @Sendable () -> Void = {}
  ) async -> [Task<String, any Error>] {
    var started = 0
    let requests = (0..<count).map { _ in
      Task { @MainActor in
        started += 1
        let list = try await lists.list(.list(of: .everybody, target: [])) { [made] json, _ in
          before()
          let number = made.withLock { made in
            made += 1
            return made
          }
          json.array { $0.integer(Int64(number)) }
        }
        guard case .bytes(let bytes) = list.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    while started < count { await Task.yield() }
    return requests
  }
}
