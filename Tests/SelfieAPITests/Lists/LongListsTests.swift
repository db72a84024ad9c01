import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import SelfieAPI

@Suite(.timeLimit(.minutes(10))) struct LongListsTests {
  private static let key = LongList.Key.list(of: .everybody, target: [])

  private let pool = WorkerPool(name: "lists", threads: 1, waiting: 100)
  private let lists: LongLists
  private let made = Monitor(0)

  init() {
    lists = LongLists(pool: pool, memory: MemoryBudget())
  }

  @Test func `all who ask before it is begun share one`() async throws {
    let isBusy = Monitor(true)
    #expect(pool.submit { isBusy.wait { $0 ? nil : () } })
    let requests = try await ask(10)
    isBusy.withLock { $0 = false }
    isBusy.notifyAll()
    for request in requests { #expect(try await request.value == "[1]") }
    #expect(made.withLock { $0 } == 1)
  }

  @Test func `those who ask while it is made get the next one`() async throws {
    let (hasBegun, mayEnd) = (Gate(), Monitor(false))
    let first = try await ask(1) {
      hasBegun.open()
      mayEnd.wait { $0 ? () : nil }
    }
    await hasBegun.wait()
    let others = try await ask(5)
    mayEnd.withLock { $0 = true }
    mayEnd.notifyAll()
    for request in first { #expect(try await request.value == "[1]") }
    for request in others { #expect(try await request.value == "[2]") }
    #expect(made.withLock { $0 } == 2)
  }

  @Test func `it is not made for clients that have all gone`() async throws {
    let isBusy = Monitor(true)
    #expect(pool.submit { isBusy.wait { $0 ? nil : () } })
    let requests = try await ask(2)
    for request in requests { request.cancel() }
    isBusy.withLock { $0 = false }
    isBusy.notifyAll()
    for request in requests { await #expect(throws: CancellationError.self) { try await request.value } }
    #expect(made.withLock { $0 } == 0)
  }

  @Test func `all are told if the pool has no place`() async throws {
    pool.shutDown()
    for request in begin(2) { await #expect(throws: WorkerPoolFull.self) { try await request.value } }
  }

  /// Asks for the same list, and returns when every request waits.
  private func ask(
    _ count: Int, before: @escaping @Sendable () -> Void = {}
  ) async throws -> [Task<String, any Error>] {
    let earlier = lists.flights.requestCount(Self.key)
    let requests = begin(count, before: before)
    try await waitUntil { lists.flights.requestCount(Self.key) == earlier + count }
    return requests
  }

  private func begin(_ count: Int, before: @escaping @Sendable () -> Void = {}) -> [Task<String, any Error>] {
    (0..<count).map { _ in
      Task {
        let list = try await lists.list(Self.key) { [made] json, _ in
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
  }
}
