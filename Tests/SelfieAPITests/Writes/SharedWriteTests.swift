import Platform
import SQL
import Testing

@testable import SelfieAPI

/// How a write becomes one batch for a shared database, and what is made of its rows.
@Suite struct SharedWriteTests {
  private let sent = Monitor<[String]>([])

  /// A database that notes what it is sent. Each query has a row with its number, but for those that are to have none.
  private func database(
    without empty: Set<Int> = [], finds evidence: Rows? = nil, isRepeated: Bool = false
  ) -> SharedDatabase {
    let sent = sent
    return SharedDatabase(
      read: { _ in [] },
      write: { queries, _ in
        sent.withLock { $0 = queries.map { "\($0.sql)" } }
        if let evidence { return .found(evidence) }
        let rows = queries.indices.map { index in
          Rows(values: empty.contains(index) ? [] : [.integer(Int64(index))], columns: 1, changes: Int64(index))
        }
        return isRepeated ? .repeated(rows) : .committed(rows)
      }, statistics: { SharedDatabaseStatistics() }, close: {})
  }

  private let write = Write(
    lock: .user(1), isAboutAllStorage: true, decisive: Query("decisive"), sharedDecisive: Query("shared decisive"),
    then: [Query("then")], sharedThen: [Query("shared then"), Query("and then")], reason: Query("reason"),
    evidence: Query("evidence"))

  @Test func `the locks come first, then what decides, what follows, and why it was refused`() async throws {
    let written = try await database().run(write)
    let queries = sent.withLock { $0 }
    #expect(queries.count == 6)
    #expect(queries[0].hasSuffix("FOR NO KEY UPDATE"))
    #expect(queries[1].contains("pg_advisory_xact_lock"))
    #expect(queries[2...] == ["shared decisive", "shared then", "and then", "reason"])
    #expect(written.isDone)
    #expect(written.first?.integer(0) == 2)
    #expect(written.others.map(\.changes) == [3, 4])
    #expect(written.reason == nil)
  }

  @Test func `a refusal has its reason, and nothing else`() async throws {
    let written = try await database(without: [2]).run(write)
    #expect(!written.isDone)
    #expect(written.others.isEmpty)
    #expect(written.reason?.integer(0) == 5)
    #expect(try await database(without: [2, 5]).run(write).reason == nil)
  }

  @Test func `evidence stands for what decides`() async throws {
    let written = try await database(finds: Rows(values: [.integer(7)], columns: 1, changes: 0)).run(write)
    #expect(written.isDone)
    #expect(written.first?.integer(0) == 7)
    #expect(written.others.isEmpty)
  }

  @Test func `what finds nothing to do when it is run again may have been done the first time`() async throws {
    let written = try await database(isRepeated: true).run(write)
    #expect(written.isDone)
    #expect(written.others.map(\.changes) == [3, 4])
    let error = await #expect(throws: SharedDatabaseError.self) {
      try await database(without: [2], isRepeated: true).run(write)
    }
    #expect(error?.kind == .outcomeUnknown)
  }

  @Test func `texts that both databases take are sent as they are`() async throws {
    let written = try await database().run(Write(lock: nil, [Query("one"), Query("two")]))
    #expect(sent.withLock { $0 } == ["one", "two"])
    #expect(written.isDone)
    #expect(written.others.map(\.changes) == [0, 1])
    try await database().run(Write(lock: nil, decisive: Query("decisive"), then: [Query("then")]))
    #expect(sent.withLock { $0 } == ["decisive", "then"])
  }
}
