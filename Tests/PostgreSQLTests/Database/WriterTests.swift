import Foundation
import Platform
import SQL
import TestSupport
import Testing
import Torture

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(1)))
final class `A write to PostgreSQL`: Sendable {
  private static let tables = Result {
    try BlockingConnection(PostgreSQLServer.shared.url()).execute("CREATE TABLE writes (mark text, number bigint)")
    try PostgreSQLServer.createCommits(PostgreSQLServer.shared.url())
  }

  private let server: PostgreSQLServer
  /// With one connection that reads, and one that writes.
  private let database: PostgreSQLDatabase
  private let mark = UUID().uuidString
  private let runs = Monitor(0)

  init() throws {
    server = try PostgreSQLServer.shared
    database = Self.database(try server.url())
    try Self.tables.get()
  }

  deinit {
    database.close()
  }

  private static func database(
    _ url: DatabaseURL, _ change: (inout PoolLimits) -> Void = { _ in }
  ) -> PostgreSQLDatabase {
    var limits = PoolLimits()
    (limits.readers, limits.writers) = (1, 1)
    change(&limits)
    return PostgreSQLDatabase(url, limits: limits, clock: { monotonicMilliseconds() })
  }

  private var insert: Query { Query("INSERT INTO writes VALUES ($1)", .text(mark)) }

  /// How many rows there are in the end.
  private func count() throws -> Int64? {
    try BlockingConnection(server.url()).rows(Query("SELECT count(*) FROM writes WHERE mark = $1", .text(mark))).first?
      .integer(0)
  }

  /// What PgBouncer tells a client when it loses its own connection: the fields of an ErrorResponse, each ended by a NUL,
  /// and a last NUL.
  private static let poolerError: [UInt8] = {
    let fields = ["SFATAL", "C08P01", "Mserver conn crashed?", ""].flatMap { text -> [UInt8] in Array(text.utf8) + [0] }
    return [UInt8(ascii: "E"), 0, 0, 0, UInt8(fields.count + 4)] + fields
  }()

  /// The last argument is how often the body is run.
  @Test(arguments: [
    (FaultyProxy.Mode.loseNextResponse(), 1), (.loseNextResponse(telling: poolerError), 1), (.loseNextRequest, 2),
  ])
  func `is found to be committed or not where a connection was cut, and run again if not`(
    cut: FaultyProxy.Mode, times: Int
  ) async throws {
    let proxy = try FaultyProxy(target: .socket("\(server.socketFolder)/.s.PGSQL.\(server.port)"), seed: 1)
    let database = Self.database(try DatabaseURL("postgres://postgres@127.0.0.1:\(proxy.port)/postgres"))
    defer { database.close() }
    let changes = try await database.write(locking: []) { [runs, insert] tx in
      let changes = try tx.run(insert)
      let run = runs.withLock {
        $0 += 1; return $0
      }
      if run == 1 { proxy.mode = cut }
      return changes
    }
    #expect(changes == 1)
    #expect(database.statistics.lostOutcomes == 1)
    #expect(database.statistics.unknownOutcomes == 0)
    #expect(runs.withLock { $0 } == times)
    #expect(try count() == 1)
  }

  @Test(arguments: [false, true])
  func `and a read run again on another connection where their own was ended`(isRead: Bool) async throws {
    let query = Query("SELECT pg_backend_pid()::bigint")
    func process() async throws -> Int64? {
      try await isRead
        ? database.read(query).first?.integer(0) : database.write(locking: []) { try $0.number(query) }
    }
    let first = try #require(try await process())
    try server.endConnection(of: first)
    let next = try #require(try await process())
    #expect(next != first)
    #expect(database.statistics.lostOutcomes == 0)
  }

  @Test func `and a read have a connection until the database is closed, if one can be made`() async throws {
    #expect(try await database.read(Query("SELECT $1::bigint", 7)).first?.integer(0) == 7)
    database.close()
    let nowhere = Self.database(try DatabaseURL("postgres:///none?host=/nowhere"))
    defer { nowhere.close() }
    for database in [database, nowhere] {
      let error = await #expect(throws: SharedDatabaseError.self) { try await database.read(Query("SELECT 1")) }
      #expect(error?.kind == .away)
    }
    #expect(nowhere.statistics.failedConnections == 1 && nowhere.statistics.connections == 0)
  }

  @Test func `is run again after a deadlock`() async throws {
    let database = Self.database(try server.url()) { $0.writers = 2 }
    defer { database.close() }
    try BlockingConnection(server.url()).run(Query("INSERT INTO writes VALUES ($1, 1), ($1, 2)", .text(mark)))
    // Each holds one row before it asks for the other's.
    let holders = Monitor(0)
    @Sendable func lock(_ numbers: [Int64]) async throws {
      try await database.write(locking: []) { [mark] tx in
        func lock(_ number: Int64) throws {
          _ = try tx.rows(
            Query("SELECT 1 FROM writes WHERE mark = $1 AND number = $2 FOR UPDATE", .text(mark), .integer(number)))
        }
        try lock(numbers[0])
        holders.withLock { $0 += 1 }
        holders.notifyAll()
        holders.wait { $0 >= 2 ? () : nil }
        try lock(numbers[1])
      }
    }
    async let one: Void = lock([1, 2])
    async let other: Void = lock([2, 1])
    _ = try await (one, other)
    // More on a busy machine, where the one that runs again may meet the other once more.
    #expect(holders.withLock { $0 } >= 3)
  }

  @Test func `changes nothing if its body throws`() async throws {
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await database.write(locking: []) { [insert] tx in
        try tx.run(insert)
        throw Refused()
      }
    }
    #expect(try count() == 0)
  }

  @Test func `is not committed after the error of a statement, whatever its body does`() async throws {
    let error = await #expect(throws: SharedDatabaseError.self) {
      try await database.write(locking: []) { [insert] tx in
        try tx.run(insert)
        _ = try? tx.run(Query("SELECT nothing FROM nowhere"))
      }
    }
    #expect(error?.kind == .bug)
    #expect(try count() == 0)
  }

  @Test func `runs many statements in their order, and undoes all of them after an error of one`() async throws {
    let insertions = (1...300).map { Query("INSERT INTO writes VALUES ($1, $2)", .text(mark), .integer($0)) }
    let zeros = try await database.write(locking: []) { [mark] tx in
      try tx.run(insertions + [Query("UPDATE writes SET number = 0 WHERE mark = $1", .text(mark))])
      try tx.run([])
      return try tx.number(Query("SELECT count(*) FROM writes WHERE mark = $1 AND number = 0", .text(mark)))
    }
    #expect(zeros == 300)
    for many in [insertions, []] {
      let error = await #expect(throws: SharedDatabaseError.self) {
        try await database.write(locking: []) { [mark] tx in
          try tx.run(many + [Query("SELECT 1 / length($1)::bigint", ""), Query("SELECT $1::text", .text(mark))])
        }
      }
      #expect(error?.sqlState == "22012")
    }
    #expect(try count() == 300)
  }

  @Test func `runs a transaction again whose prepared statements are gone, as behind a pooler`() async throws {
    for _ in 1...2 {
      try await database.write(locking: []) { [insert] tx in
        try tx.run(insert)
        try tx.run("DEALLOCATE ALL")
        try tx.run(insert)
      }
    }
    #expect(try count() == 4)
  }

  private static func stopProcess(of tx: any Transaction) throws -> pid_t {
    let process = pid_t(try tx.number(Query("SELECT pg_backend_pid()::bigint")))
    kill(process, SIGSTOP)
    return process
  }

  @Test func `waits for a process of the server that was stopped before it saw the commit`() async throws {
    let database = Self.database(try server.url()) { $0.responseTimeout = 2000 }
    defer { database.close() }
    let stopped = Monitor<pid_t?>(nil)
    async let changes = database.write(locking: []) { [insert, runs] tx in
      let changes = try tx.run(insert)
      if runs.withLock({
        $0 += 1; return $0
      }) == 1 {
        let process = try Self.stopProcess(of: tx)
        stopped.withLock { $0 = process }
      }
      return changes
    }
    let watch = try BlockingConnection(server.url())
    try await waitUntil {
      try watch.rows(
        Query(
          """
          SELECT 1 FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO commits%' AND pg_blocking_pids(pid) @> ARRAY[$1::int]
          """, .integer(Int64(stopped.withLock { $0 } ?? 0)))
      ).count == 1
    }
    if let process = stopped.withLock({ $0 }) { kill(process, SIGCONT) }
    #expect(try await changes == 1)
    #expect(try count() == 1)
  }

  @Test func `stays unknown while that process does not go on`() async throws {
    let database = Self.database(try server.url(lockTimeout: 20)) {
      $0.responseTimeout = 2000
      $0.maxSettlingTime = 60
    }
    defer { database.close() }
    let stopped = Monitor<pid_t?>(nil)
    defer { if let process = stopped.withLock({ $0 }) { kill(process, SIGCONT) } }
    let error = await #expect(throws: SharedDatabaseError.self) {
      try await database.write(locking: []) { [insert] tx in
        try tx.run(insert)
        let process = try Self.stopProcess(of: tx)
        stopped.withLock { $0 = process }
      }
    }
    #expect(error?.kind == .outcomeUnknown)
    #expect(database.statistics.unknownOutcomes == 1)
  }

  @Test func `leaves an id that is forgotten after an hour`() async throws {
    let ids = [CommitID(time: 5, random: .system), CommitID(time: unixMilliseconds(), random: .system)]
    let connection = try BlockingConnection(server.url())
    for id in ids { #expect(try connection.number(id.settling) == 1) }
    try await database.prune()
    #expect(try connection.number(Query("SELECT count(*) FROM commits WHERE id < '\\x01'")) == 0)
    #expect(try connection.number(ids[1].settling) == 1)
  }
}
