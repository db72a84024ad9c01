import Cryptography
import Glibc
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A pool of connections to PostgreSQL` {

  private static let connecting = WorkerPool(name: "connecting", threads: 16, waiting: 100)

  private func pool(
    _ url: DatabaseURL? = nil, connecting: WorkerPool? = nil, _ change: (inout PoolLimits) -> Void = { _ in },
    clock: @escaping () -> Int64 = { monotonicMilliseconds() }
  ) throws -> ConnectionPool {
    var limits = PoolLimits()
    limits.backoff.base = 2
    limits.backoff.maxDelay = 2
    change(&limits)
    return try ConnectionPool(
      try url ?? PostgreSQLServer.shared.url(), limits: limits, sockets: Poller(),
      connecting: connecting ?? Self.connecting, clock: clock, random: .system)
  }

  @Test func `opens its connections, and no more, each with a name of its own`() throws {
    let pool = try pool(PostgreSQLServer.shared.url(parameters: "&application_name=counted"))
    pool.wait { pool.readyCount < 2 }
    let names = try pool.rows(
      """
      SELECT application_name FROM pg_stat_activity
      WHERE application_name LIKE 'counted ____________' GROUP BY application_name
      """)
    #expect(names.count == 2)
  }

  @Test func `fails queries that wait for too long, or in too great a number`() throws {
    let pool = try pool(DatabaseURL("postgres:///none?host=/nowhere")) {
      $0.maxWait = 20
      $0.maxWaiting = 2
    }
    var outcomes: [SharedDatabaseError.Kind?] = []
    pool.read(Query("SELECT 1")) { outcomes.append($0.error?.kind) }
    for _ in 0..<2 { pool.read(Query("SELECT 1")) { outcomes.append($0.error?.kind) } }
    #expect(outcomes == [.away])
    pool.wait { outcomes.count < 3 }
    #expect(outcomes == [.away, .away, .away])
    pool.wait { pool.lastFailure == nil }
    #expect(pool.lastFailure?.contains("/nowhere") == true)
  }

  @Test func `fails a query that cannot be sent, and no other`() throws {
    let pool = try pool { $0.maxConnections = 1 }
    pool.wait { pool.readyCount < 1 }
    var failure: SharedDatabaseError.Kind?
    pool.read(Query("SELECT $1::text", "a\0b")) { failure = $0.error?.kind }
    #expect(failure == .nulInText)
    #expect(try pool.rows("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `keeps to the number of queries in flight on a connection`() throws {
    let pool = try pool {
      $0.maxConnections = 1
      $0.maxInFlight = 2
    }
    pool.wait { pool.readyCount < 1 }
    var answers: [Int64?] = []
    for number in 0..<50 as Range<Int64> {
      pool.read(Query("SELECT $1::bigint", .integer(number))) { result in
        answers.append(try? result.get().first?.integer(0))
      }
    }
    pool.wait { answers.count < 50 }
    #expect(answers == (0..<50).map { Int64($0) })
  }

  @Test func `connects again after the server has ended a connection`() throws {
    let pool = try pool { $0.maxConnections = 1 }
    pool.wait { pool.readyCount < 1 }
    let process = try #require(try pool.rows("SELECT pg_backend_pid()").first?.integer(0))
    try PostgreSQLServer.shared.endConnection(of: process)
    pool.wait { pool.readyCount == 1 }
    let next = try #require(try pool.rows("SELECT pg_backend_pid()").first?.integer(0))
    #expect(next != process)
  }

  @Test func `passes a host that takes connections and never responds`() throws {
    let silent = try RawServer([])
    let server = try PostgreSQLServer.shared
    let hosts = "host=127.0.0.1,\(server.socketFolder)&port=\(silent.port),\(server.port)"
    let pool = try pool(DatabaseURL("postgres:///postgres?\(hosts)&user=postgres&connect_timeout=2"))
    // Queries wait until there is a connection.
    #expect(pool.readyCount == 0)
    #expect(try pool.rows("SELECT 7::bigint").first?.integer(0) == 7)
    #expect(silent.connectionCount > 0)
  }

  @Test func `does not connect itself where its threads do not`() throws {
    let connecting = WorkerPool(name: "connecting", threads: 1, waiting: 1)
    connecting.shutDown()
    let pool = try pool(connecting: connecting) { $0.maxWait = 50 }
    #expect(throws: SharedDatabaseError.self) { try pool.rows("SELECT 7::bigint") }
    #expect(pool.lastFailure == "too many connections are being made")
  }

  @Test func `gives up what a paused process holds, and serves the rest by other connections`() throws {
    var now: Int64 = 1000
    let pool = try pool(nil, connecting: nil, { $0.maxShared = 2 }, clock: { now })
    pool.wait { pool.readyCount < 2 }
    let process = pid_t(try #require(try pool.rows("SELECT pg_backend_pid()").first?.integer(0)))
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    var outcomes: [Bool] = []
    for _ in 0..<8 { pool.read(Query("SELECT 1")) { outcomes.append($0.error == nil) } }
    pool.wait { outcomes.count < 4 }
    #expect(outcomes == [true, true, true, true])
    now += PoolLimits().responseTimeout
    pool.wait { outcomes.count < 8 }
    #expect(outcomes.count { $0 } == 4)
    #expect(try pool.rows("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `fails everything when it is closed`() throws {
    let pool = try pool()
    var outcomes: [SharedDatabaseError.Kind?] = []
    pool.read(Query("SELECT 1")) { outcomes.append($0.error?.kind) }
    pool.close()
    pool.read(Query("SELECT 1")) { outcomes.append($0.error?.kind) }
    #expect(outcomes == [.away, .away])
    #expect(pool.deadline() == nil)
  }

  @Test func `tries to connect less and less often while there is no server`() throws {
    var (now, limits) = (Int64(1_000_000), PoolLimits())
    limits.maxConnections = 1
    // The largest fraction, thus the longest delays.
    let pool = try ConnectionPool(
      DatabaseURL("postgres:///none?host=/nowhere"), limits: limits, sockets: Poller(),
      connecting: Self.connecting, clock: { now }, random: RandomSource { [UInt8](repeating: 255, count: $0) })
    var delays: [Int64] = []
    while delays.count < 9 {
      pool.process()
      guard let next = pool.deadline(), next > now else { continue }
      delays.append(next - now)
      now = next
    }
    #expect(delays == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  }

  // MARK: - Reads that share a Sync

  /// A pool whose connections have answered: of one that has not, nobody knows whether it is slow.
  ///
  /// - Parameter clock: one that stands still shows no server as slow.
  private func warmPool(
    _ change: (inout PoolLimits) -> Void, clock: @escaping () -> Int64 = { 1000 }
  ) throws -> ConnectionPool {
    let pool = try pool(nil, connecting: nil, change, clock: clock)
    pool.wait { pool.readyCount < pool.statistics.withLock(\.connections) }
    _ = transactions(ofReads: pool.readyCount, by: pool)
    return pool
  }

  /// When the transactions of so many reads began, which are asked for at once.
  private func transactions(ofReads count: Int, by pool: ConnectionPool) -> [Int64] {
    integers(Query("SELECT CAST(extract(epoch FROM now()) * 1000000 AS bigint)"), of: count, by: pool)
  }

  /// What so many reads return that are asked for at once.
  private func integers(_ query: Query, of count: Int, by pool: ConnectionPool) -> [Int64] {
    var integers: [Int64] = []
    var answers = 0
    for _ in 0..<count {
      pool.read(query) { result in
        answers += 1
        if let integer = try? result.get().first?.integer(0) { integers.append(integer) }
      }
    }
    pool.wait { answers < count }
    return integers
  }

  @Test func `sends reads of one turn with one Sync, so many at most`() throws {
    let times = try transactions(ofReads: 10, by: warmPool { ($0.maxConnections, $0.maxShared) = (1, 4) })
    // The first four are sent when there are enough, and the others at the end of the turn.
    #expect(times.count == 10 && times.sorted() == times)
    #expect(Set(times).count == 3 && Set(times.prefix(4)).count == 1, "\(times)")
  }

  @Test func `uses a second connection once the first has as many reads as may share a Sync`() throws {
    let processes = try integers(
      Query("SELECT CAST(pg_backend_pid() AS bigint)"), of: 8,
      by: warmPool {
        $0.maxConnections = 2
        $0.maxShared = 6
      })
    // Either connection may answer first.
    let counts = Dictionary(grouping: processes) { $0 }.values.map(\.count)
    #expect(counts.sorted() == [2, 6], "\(processes)")
  }

  @Test func `sends each read with a Sync of its own while the server is slow`() throws {
    var now: Int64 = 1000
    let pool = try warmPool({ $0.maxConnections = 1 }, clock: { now })
    #expect(Set(transactions(ofReads: 3, by: pool)).count == 1)
    var isAnswered = false
    pool.read(Query("SELECT 1::bigint")) { _ in isAnswered = true }
    pool.endOfTurn()
    now += 100
    // Also behind one that is not answered yet.
    #expect(Set(transactions(ofReads: 3, by: pool)).count == 3)
    #expect(isAnswered)
    #expect(Set(transactions(ofReads: 3, by: pool)).count == 1)
  }
}

extension ConnectionPool {
  /// Does as an event loop does, as long as a condition holds.
  func wait(while condition: () -> Bool) {
    while condition() {
      var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&waited, 1, Int32(deadline().map { max(0, min($0 - monotonicMilliseconds(), 1000)) } ?? 1000))
      process()
    }
  }

  func rows(_ sql: StaticString, _ values: Value...) throws -> Rows {
    var result: Result<Rows, SharedDatabaseError>?
    read(Query(sql, values: values)) { result = $0 }
    wait { result == nil }
    return try #require(result).get()
  }
}
