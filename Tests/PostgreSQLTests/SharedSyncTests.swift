import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `Reads that share a Sync` {
  private static let connecting = WorkerPool(name: "connecting", threads: 4, waiting: 100)

  // MARK: - Of a connection

  private final class Outcomes {
    var texts: [String: String] = [:]

    /// A read of one number. Notes it, or the code of the error.
    func read(_ name: String, _ sql: StaticString, _ values: Value...) -> Read {
      Read(query: Query(sql, values: values)) { [self] result in
        switch result {
        case .success(let rows): texts[name] = "\(rows.first?.integer(0) ?? -1)"
        case .failure(let error): texts[name] = error.sqlState ?? "\(error.kind)"
        }
      }
    }
  }

  private func run(_ reads: [Read], on connection: PipelinedConnection, _ outcomes: Outcomes) {
    connection.submit(reads, now: monotonicMilliseconds())
    connection.wait { outcomes.texts.count < reads.count }
    #expect(connection.inFlightCount == 0)
  }

  @Test func `are not touched by the errors of others`() throws {
    let (connection, outcomes) = (try PipelinedConnection.open(), Outcomes())
    let reads = [
      outcomes.read("first", "SELECT 1::bigint"), outcomes.read("cannot be sent", "SELECT length($1)::bigint", "\0"),
      outcomes.read("second", "SELECT 10 / $1::bigint", 5), outcomes.read("fails", "SELECT 10 / $1::bigint", 0),
      outcomes.read("passed over", "SELECT 10 / $1::bigint", 2), outcomes.read("cannot be shown", "SELECT 1.5"),
      outcomes.read("fails, too", "SELECT nothing FROM nowhere"), outcomes.read("last", "SELECT 7::bigint"),
    ]
    run(reads, on: connection, outcomes)
    #expect(
      outcomes.texts == [
        "first": "1", "cannot be sent": "nulInText", "second": "2", "fails": "22012", "passed over": "5",
        "cannot be shown": "bug", "fails, too": "42P01", "last": "7",
      ])
  }

  @Test func `find statements that the server has forgotten`() throws {
    let (connection, outcomes) = (try PipelinedConnection.open(), Outcomes())
    for _ in 0..<3 {
      outcomes.texts = [:]
      run(
        [
          outcomes.read("a", "SELECT 1::bigint"), outcomes.read("b", "SELECT 2::bigint"),
          outcomes.read("c", "SELECT 2::bigint"),
        ], on: connection, outcomes)
      #expect(outcomes.texts == ["a": "1", "b": "2", "c": "2"])
      try connection.rows("DEALLOCATE ALL")
    }
  }

  @Test func `have their results, or are told that the server is away, when it ends the connection`() throws {
    let (connection, outcomes) = (try PipelinedConnection.open(), Outcomes())
    run(
      [
        outcomes.read("before", "SELECT 1::bigint"),
        outcomes.read("the end", "SELECT CAST(pg_terminate_backend(pg_backend_pid()) AS int)::bigint"),
        outcomes.read("behind", "SELECT 2::bigint"),
      ], on: connection, outcomes)
    #expect(outcomes.texts["before"] == "1")
    #expect(["57P01", "away"].contains(outcomes.texts["behind"]))
    #expect(connection.failure != nil)
  }

  // MARK: - Of a pool

  /// - Parameter clock: one that stands still shows no server as slow.
  private func pool(clock: @escaping () -> Int64 = { 1000 }, connections: Int = 1, maxShared: Int = 16) throws
    -> ConnectionPool
  {
    var limits = PoolLimits()
    (limits.maxConnections, limits.maxShared) = (connections, maxShared)
    let pool = try ConnectionPool(
      PostgreSQLServer.shared.url(), limits: limits, sockets: SocketSet(),
      connecting: Self.connecting, clock: clock, random: .system)
    pool.wait { pool.readyCount < connections }
    // Of a connection that has answered nothing, nobody knows whether it is slow.
    _ = transactions(ofReads: connections, by: pool)
    return pool
  }

  /// When the transactions of so many reads began, which are asked for at once.
  private func transactions(ofReads count: Int, by pool: ConnectionPool) -> [Int64] {
    var times: [Int64] = []
    var answers = 0
    for _ in 0..<count {
      pool.read(Query("SELECT CAST(extract(epoch FROM now()) * 1000000 AS bigint)")) { result in
        answers += 1
        if let time = try? result.get().first?.integer(0) { times.append(time) }
      }
    }
    pool.wait { answers < count }
    return times
  }

  @Test func `are those of one turn, so many at most`() throws {
    let times = try transactions(ofReads: 10, by: pool(maxShared: 4))
    // The first four are sent when there are enough, and the others at the end of the turn.
    #expect(times.count == 10 && times.sorted() == times)
    #expect(Set(times).count == 3 && Set(times.prefix(4)).count == 1, "\(times)")
  }

  @Test func `are as many for each connection`() throws {
    let times = try transactions(ofReads: 8, by: pool(connections: 2))
    #expect(Set(times).count == 2 && times.count { $0 == times[0] } == 4, "\(times)")
  }

  @Test func `are none while the server is slow`() throws {
    var now: Int64 = 1000
    let pool = try pool(clock: { now })
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
