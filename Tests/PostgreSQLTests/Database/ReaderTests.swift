import Glibc
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(1)))
struct `A read of PostgreSQL` {
  private let server: PostgreSQLServer

  init() throws {
    server = try PostgreSQLServer.shared
  }

  private func run(
    _ change: (inout PoolLimits) -> Void = { _ in }, clock: @escaping @Sendable () -> Int64 = { 1000 },
    _ test: (PostgreSQLDatabase) async throws -> Void
  ) async throws {
    var limits = PoolLimits()
    limits.readers = 1
    change(&limits)
    let database = PostgreSQLDatabase(
      try server.url(parameters: "&application_name=counted"), limits: limits, clock: clock)
    defer { database.close() }
    try await test(database)
  }

  /// Runs a test while a read holds the only connection, until the test signals its end.
  private func whileBusy(_ database: PostgreSQLDatabase, _ test: (TestSupport.Semaphore) async throws -> Void)
    async throws
  {
    let (begun, end) = (Gate(), TestSupport.Semaphore())
    async let busy: Void = database.read("SELECT 1", flow: Flow()) { _ in
      begun.open()
      end.wait()
    }
    await begun.wait()
    try await test(end)
    try await busy
  }

  private func process(of database: PostgreSQLDatabase) async throws -> Int64 {
    try #require(try await database.read("SELECT pg_backend_pid()").first?.integer(0))
  }

  @Test func `waits in turns by client`() async throws {
    try await run { database in
      let order = Monitor("")
      try await whileBusy(database) { end in
        var waiting: [Task<Void, any Error>] = []
        for (client, name) in [(1, "a"), (1, "b"), (1, "c"), (2, "x")] {
          let count = database.statistics.waiting
          waiting.append(
            Task {
              try await database.read("SELECT 1", flow: Flow(client: client)) { _ in order.withLock { $0 += name } }
            })
          try await waitUntil { database.statistics.waiting == count + 1 }
        }
        end.signal()
        for task in waiting { try await task.value }
      }
      #expect(order.withLock { $0 } == "axbc")
    }
  }

  /// When the transactions of three reads began that have waited together.
  private func transactions(_ database: PostgreSQLDatabase) async throws -> Set<Int64?> {
    var times: Set<Int64?> = []
    try await whileBusy(database) { end in
      let waiting = (0..<3).map { _ in
        Task { try await database.read("SELECT CAST(extract(epoch FROM now()) * 1000000 AS bigint)").first?.integer(0) }
      }
      try await waitUntil { database.statistics.waiting == 3 }
      end.signal()
      for task in waiting { times.insert(try await task.value) }
    }
    return times
  }

  @Test func `is sent with others that have waited, so many at most`() async throws {
    try await run { database in
      let count = try await transactions(database).count
      #expect(count == 1)
    }
    try await run({ $0.maxShared = 2 }) { database in
      let count = try await transactions(database).count
      #expect(count == 2)
    }
  }

  @Test func `is sent alone while the server is slow`() async throws {
    let now = Monitor<Int64>(1000)
    let clock = { @Sendable in
      now.withLock { now in
        now += 100
        return now
      }
    }
    try await run(clock: clock) { database in
      let count = try await transactions(database).count
      #expect(count == 3)
    }
  }

  @Test func `has nothing to do with the errors of others with which it is sent`() async throws {
    try await run { database in
      try await whileBusy(database) { end in
        let waiting = ([5, 0, 2] as [Int64]).map { divisor in
          Task { try await database.read(Query("SELECT 10 / $1::bigint", .integer(divisor))).first?.integer(0) }
        }
        try await waitUntil { database.statistics.waiting == 3 }
        end.signal()
        #expect(try await waiting[0].value == 2)
        let error = await #expect(throws: SharedDatabaseError.self) { try await waiting[1].value }
        #expect(error?.sqlState == "22012")
        #expect(try await waiting[2].value == 5)
      }
    }
  }

  @Test func `does not run for a client that is gone`() async throws {
    try await run { database in
      try await whileBusy(database) { end in
        let waiting = Task { try await database.read("SELECT 1", flow: Flow()) { _ in Issue.record("it is gone") } }
        try await waitUntil { database.statistics.waiting == 1 }
        waiting.cancel()
        end.signal()
        await #expect(throws: CancellationError.self) { try await waiting.value }
      }
    }
  }

  @Test func `fails if it waits for too long, or with too many others`() async throws {
    let now = Monitor<Int64>(1000)
    try await run({ $0.maxWaiting = 1 }, clock: { now.withLock { $0 } }) { database in
      try await whileBusy(database) { end in
        let waiting = Task { try await database.read("SELECT 1") }
        try await waitUntil { database.statistics.waiting == 1 }
        let tooMany = await #expect(throws: SharedDatabaseError.self) { try await database.read("SELECT 1") }
        #expect(tooMany?.kind == .away)
        now.withLock { $0 += PoolLimits().maxWait }
        end.signal()
        let tooLate = await #expect(throws: SharedDatabaseError.self) { try await waiting.value }
        #expect(tooLate?.kind == .away)
      }
    }
  }

  @Test func `does not wait for writes`() async throws {
    try PostgreSQLServer.createCommits(server.url())
    try await run({ $0.writers = 1 }) { database in
      let (begun, end) = (Gate(), TestSupport.Semaphore())
      async let write: Void = database.write(locking: []) { _ in
        begun.open()
        end.wait()
      }
      await begun.wait()
      #expect(try await database.read("SELECT 7").first?.integer(0) == 7)
      end.signal()
      try await write
    }
  }

  @Test func `gives up a process that stands still, and runs on another connection, which has a name of its own`()
    async throws
  {
    try await run({ $0.responseTimeout = 2000 }) { database in
      let name: Query = "SELECT current_setting('application_name')"
      let first = try #require(try await database.read(name).first?.text(0))
      let stopped = try await process(of: database)
      kill(pid_t(stopped), SIGSTOP)
      defer { kill(pid_t(stopped), SIGCONT) }
      let next = try #require(try await database.read(name).first?.text(0))
      #expect(first != next && first.prefix(21) == next.prefix(21) && first.hasPrefix("counted "))
    }
  }

  @Test func `is sent again if the server has lost its statement, or a table was altered`() async throws {
    try await run { database in
      let setUp = try BlockingConnection(server.url())
      try setUp.execute("CREATE TABLE altered (id bigint); INSERT INTO altered VALUES (1)")
      #expect(try await database.read("SELECT * FROM altered").first?.isNull(1) == true)
      try setUp.execute("ALTER TABLE altered ADD COLUMN name text; UPDATE altered SET name = 'new'")
      #expect(try await database.read("SELECT * FROM altered").first?.text(1) == "new")
    }
    try await run { database in
      for _ in 0..<2 {
        #expect(try await database.read("SELECT 7").first?.integer(0) == 7)
        _ = try await database.read("DEALLOCATE ALL")
      }
    }
  }
}
