import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A database that processes share` {
  private func database() throws -> PostgreSQLDatabase {
    try PostgreSQLServer.createCommits(PostgreSQLServer.shared.url())
    var writes = BlockingLimits()
    writes.maxConnections = 1
    return try PostgreSQLDatabase(
      PostgreSQLServer.shared.url(), limits: PoolLimits(), blocking: writes, clock: { monotonicMilliseconds() })
  }

  @Test func `responds to callers on any thread`() async throws {
    let database = try database()
    #expect(try await database.read(Query("SELECT $1::bigint", 7)).first?.integer(0) == 7)
    #expect(try await database.write(locking: []) { try $0.number(Query("SELECT 8::bigint")) } == 8)
    database.close()
    let error = await #expect(throws: SharedDatabaseError.self) { try await database.read(Query("SELECT 1")) }
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

  @Test func `tells of connections that cannot be made`() async throws {
    let database = try PostgreSQLDatabase(
      DatabaseURL("postgres:///none?host=/nowhere"), clock: { monotonicMilliseconds() })
    defer { database.close() }
    let error = await #expect(throws: SharedDatabaseError.self) { try await database.read(Query("SELECT 1")) }
    #expect(error?.kind == .away)
    #expect(database.statistics.failedConnections == 1 && database.statistics.readyConnections == 0)
  }

  @Test func `reads on another connection where its own was ended`() async throws {
    let database = try database()
    defer { database.close() }
    func process() async throws -> Int64? {
      try await database.read(Query("SELECT pg_backend_pid()::bigint")).first?.integer(0)
    }
    let first = try #require(try await process())
    try PostgreSQLServer.shared.endConnection(of: first)
    let next = try await process()
    #expect(next != nil && next != first)
  }
}
