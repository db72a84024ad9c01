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

  @Test func `lists of rows that were fetched do not wait for one another, and share equal bytes`() async throws {
    let list = { @MainActor () async throws -> SharedBytes? in
      let list = try await lists.list(of: .everybody, rowBytes: 1000) { json, _ in
        json.array { json in
          for number in 0..<20_000 { json.integer(Int64(number)) }
        }
      }
      guard case .shared(let bytes) = list.body else { return nil }
      return bytes
    }
    let first = try #require(try await list())
    #expect(try await list() === first)
  }

  @Test func `rows that were fetched count as memory until their list is made`() async throws {
    let memory = MemoryBudget(limit: 1 << 20)
    let lists = LongLists(pool: pool, memory: memory)
    let seen = Monitor(0)
    _ = try await lists.list(of: .everybody, rowBytes: 50_000) { json, _ in
      json.array { _ in seen.withLock { $0 = memory.usedBytes } }
    }
    #expect(seen.withLock { $0 } == 50_000)
    #expect(memory.usedBytes == 0)
    await #expect(throws: MemoryExhausted.self) {
      try await lists.list(of: .everybody, rowBytes: 1 << 20) { _, _ in }
    }
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
