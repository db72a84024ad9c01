import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A database that processes share` {
  private static let lookUps = WorkerPool(name: "look-ups", threads: 1, waiting: 100)

  private func database() throws -> PostgreSQLDatabase {
    try PostgreSQLServer.createCommits(PostgreSQLServer.shared.url())
    var writes = WriteLimits()
    writes.maxConnections = 1
    return try PostgreSQLDatabase(
      PostgreSQLServer.shared.url(), writes: writes, lookUps: Self.lookUps, clock: { monotonicMilliseconds() })
  }

  @Test func `responds to callers on any thread`() async throws {
    let database = try database()
    let rows = try await database.read([Query("SELECT $1::bigint", 7), Query("SELECT 'a'::text")])
    #expect(rows.map { $0.first?.text(0) }.last == "a")
    #expect(rows.first?.first?.integer(0) == 7)
    #expect(try await database.write(locking: []) { try $0.number(Query("SELECT 8::bigint")) } == 8)
    database.close()
    let error = await #expect(throws: SharedDatabaseError.self) { try await database.read([Query("SELECT 1")]) }
    #expect(error?.kind == .away)
  }

  @Test func `refuses a text with U+0000 before it is sent`() async throws {
    let database = try database()
    defer { database.close() }
    let error = await #expect(throws: SharedDatabaseError.self) {
      try await database.write(locking: []) { try $0.run(Query("SELECT $1::text", "a\0")) }
    }
    #expect(error?.kind == .nulInText)
    #expect(database.statistics.lostOutcomes == 0)
  }

  @Test(arguments: [true, false])
  func `returns on the executor of its caller, which asks its own pool if it has one`(hasPool: Bool) async throws {
    let database = try database()
    let makePool: @Sendable () throws -> ConnectionPool = { try database.makePool() }
    let thread = try PoolThread(hasPool ? makePool : nil)
    let task = Task(executorPreference: thread) { () async throws -> [Bool] in
      var stays: [Bool] = []
      for _ in 0..<2 {
        _ = try await database.read([Query("SELECT 1::bigint")])
        stays.append(thread.isCurrent)
        try await database.write(locking: []) { _ in }
        stays.append(thread.isCurrent)
      }
      return stays
    }
    #expect(try await task.value == [true, true, true, true])
    // Of the thread for all others, the one that has written, and the caller's own.
    #expect(database.statistics.connections == (hasPool ? 4 : 2))
    database.close()
    try await Blocking.run { thread.end() }
    #expect(database.statistics.connections == 1)
  }

  @Test func `tells of connections that cannot be made`() async throws {
    let database = try PostgreSQLDatabase(
      DatabaseURL("postgres:///none?host=/nowhere"), lookUps: Self.lookUps, clock: { monotonicMilliseconds() })
    try await waitUntil { database.statistics.failedConnections > 0 }
    #expect(database.statistics.readyConnections == 0)
    database.close()
  }
}
