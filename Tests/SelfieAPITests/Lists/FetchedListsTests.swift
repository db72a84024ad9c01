import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// Lists of rows that are fetched before a worker writes them.
@Suite @MainActor struct FetchedListsTests {
  private let lists: LongLists
  private let memory = MemoryBudget(limit: 1 << 20)
  private let fetched = Monitor(0)

  init() {
    lists = LongLists(pool: WorkerPool(name: "lists", threads: 1, waiting: 100), memory: memory)
  }

  /// A list of one row, which tells how many lists were fetched before it.
  private func list(
    padding: Int = 0, fetch: () async throws -> Void = {}
  ) async throws -> (text: String, list: LongList) {
    let list = try await lists.list(.list(of: .everybody, target: [])) {
      let number = fetched.withLock { count in
        count += 1
        return count
      }
      try await fetch()
      return .fetched(
        Rows(values: [.integer(Int64(number)), .blob([UInt8](repeating: 0, count: padding))], columns: 2, changes: 0))
    } _: { source, json, _ in
      try json.array { json in
        try source.forEach(NumberRow.self) { json.integer($0.value) }
      }
    }
    guard case .bytes(let bytes) = list.body else { return ("", list) }
    return (String(decoding: bytes, as: UTF8.self), list)
  }

  /// Asks for the list, and returns when every request waits: on the main actor each runs until it suspends.
  private func ask(_ count: Int, fetch: @escaping @Sendable () async throws -> Void = {}) async
    -> [Task<String, any Error>]
  {
    var started = 0
    let requests = (0..<count).map { _ in
      Task { @MainActor in
        started += 1
        return try await list(fetch: fetch).text
      }
    }
    while started < count { await Task.yield() }
    return requests
  }

  @Test func `those who ask while rows are fetched share the next ones`() async throws {
    let gate = Gate()
    let first = await ask(1) { await gate.wait() }
    let others = await ask(5)
    gate.open()
    for request in first { #expect(try await request.value == "[1]") }
    for request in others { #expect(try await request.value == "[2]") }
    #expect(try await list().text == "[3]")
  }

  @Test func `a client that goes does not keep the list from the others`() async throws {
    let gate = Gate()
    let first = await ask(1) { await gate.wait() }
    let gone = await ask(1) { throw CancellationError() }
    let others = await ask(2)
    gate.open()
    _ = try await first[0].value
    await #expect(throws: CancellationError.self) { try await gone[0].value }
    for request in others { #expect(try await request.value == "[3]") }
  }

  @Test func `nobody fetches for clients that have all gone`() async throws {
    let gate = Gate()
    let first = await ask(1) { await gate.wait() }
    let gone = await ask(3)
    for request in gone { request.cancel() }
    gate.open()
    _ = try await first[0].value
    for request in gone { _ = try? await request.value }
    #expect(fetched.withLock { $0 } == 1)
    #expect(try await list().text == "[2]")
  }

  @Test func `an error is told to all who share it, and the next list is made anew`() async throws {
    let gate = Gate()
    let first = await ask(1) { await gate.wait() }
    let others = await ask(2) { throw SharedDatabaseError(.away, "no connection") }
    gate.open()
    _ = try await first[0].value
    for request in others { await #expect(throws: SharedDatabaseError.self) { try await request.value } }
    #expect(try await list().text == "[3]")
  }

  @Test func `a few lists are fetched at once, and the others after them`() async throws {
    let (gate, running, peak) = (Gate(), Monitor(0), Monitor(0))
    var started = 0
    let requests = (0..<20 as Range<Int64>).map { user in
      Task { @MainActor in
        started += 1
        _ = try await lists.list(.list(of: .user(user), target: [])) {
          let count = running.withLock { count in
            count += 1
            return count
          }
          peak.withLock { $0 = max($0, count) }
          await gate.wait()
          running.withLock { $0 -= 1 }
          return .fetched(Rows(values: [], columns: 1, changes: 0))
        } _: { _, json, _ in
          json.integer(1)
        }
      }
    }
    while started < 20 { await Task.yield() }
    gate.open()
    for request in requests { try await request.value }
    #expect(peak.withLock { $0 } == 8)
  }

  @Test func `rows count as memory until their list is made`() async throws {
    _ = try await list(padding: 50_000)
    #expect(memory.takePeak() >= 50_000)
    #expect(memory.usedBytes == 0)
    await #expect(throws: MemoryExhausted.self) { try await list(padding: 1 << 20) }
    #expect(memory.usedBytes == 0)
  }
}
