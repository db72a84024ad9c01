import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// Lists of rows that are fetched before a worker writes them.
@Suite(.timeLimit(.minutes(10))) struct FetchedListsTests {
  private static let key = LongList.Key.list(of: .everybody, target: [])

  private let lists: LongLists
  private let memory = MemoryBudget(limit: 1 << 20)
  private let fetched = Monitor(0)

  init() {
    lists = LongLists(pool: WorkerPool(name: "lists", threads: 1, waiting: 100), memory: memory)
  }

  /// A list of one row, which tells how many lists were fetched before it.
  private func list(
    padding: Int = 0, fetch: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> (text: String, list: LongList) {
    let list = try await lists.list(Self.key) {
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

  /// Asks for the list, and returns when it is being fetched, which takes until the gate opens.
  private func begin(_ gate: Gate) async throws -> Task<String, any Error> {
    let request = Task { try await list { await gate.wait() }.text }
    try await waitUntil { fetched.withLock { $0 } == 1 }
    return request
  }

  /// Asks for the list, which is being fetched, and returns when every request waits.
  private func ask(
    _ count: Int, fetch: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> [Task<String, any Error>] {
    let before = lists.flights.requestCount(Self.key)
    let requests = (0..<count).map { _ in Task { try await list(fetch: fetch).text } }
    try await waitUntil { lists.flights.requestCount(Self.key) == before + count }
    return requests
  }

  @Test func `those who ask while rows are fetched share the next ones`() async throws {
    let gate = Gate()
    let first = try await begin(gate)
    let others = try await ask(5)
    gate.open()
    #expect(try await first.value == "[1]")
    for request in others { #expect(try await request.value == "[2]") }
    #expect(try await list().text == "[3]")
  }

  @Test func `a client that goes does not keep the list from the others`() async throws {
    let gate = Gate()
    let first = try await begin(gate)
    let gone = try await ask(1) { throw CancellationError() }
    let others = try await ask(2)
    gate.open()
    _ = try await first.value
    await #expect(throws: CancellationError.self) { try await gone[0].value }
    for request in others { #expect(try await request.value == "[3]") }
  }

  @Test func `nobody fetches for clients that have all gone`() async throws {
    let gate = Gate()
    let first = try await begin(gate)
    let gone = try await ask(3)
    for request in gone { request.cancel() }
    gate.open()
    _ = try await first.value
    for request in gone { _ = try? await request.value }
    #expect(fetched.withLock { $0 } == 1)
    #expect(try await list().text == "[2]")
  }

  @Test func `an error is told to all who share it, and the next list is made anew`() async throws {
    let gate = Gate()
    let first = try await begin(gate)
    let others = try await ask(2) { throw SharedDatabaseError(.away, "no connection") }
    gate.open()
    _ = try await first.value
    for request in others { await #expect(throws: SharedDatabaseError.self) { try await request.value } }
    #expect(try await list().text == "[3]")
  }

  @Test func `a few lists are fetched at once, and the others after them`() async throws {
    let (gate, running, peak) = (Gate(), Monitor(0), Monitor(0))
    let requests = (0..<20 as Range<Int64>).map { user in
      Task {
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
    try await waitUntil { lists.fetches.waitingCount == 12 && running.withLock { $0 } == 8 }
    gate.open()
    for request in requests { try await request.value }
    #expect(peak.withLock { $0 } == 8)
  }

  @Test func `rows count as memory until their list is made`() async throws {
    _ = try await list(padding: 50_000)
    #expect(memory.hasFallen(by: 50_000))
    #expect(memory.usedBytes == 0)
    await #expect(throws: MemoryExhausted.self) { try await list(padding: 1 << 20) }
    #expect(memory.usedBytes == 0)
  }
}
