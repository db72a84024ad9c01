import Foundation
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A write whose commit was not seen` {
  private static let lookUps = WorkerPool(name: "look-ups", threads: 1, waiting: 100)
  private static let table = Result {
    try BlockingConnection(PostgreSQLServer.shared.url()).execute(
      """
      CREATE TABLE lost_writes (id bigserial, mark text);
      CREATE FUNCTION refuse_again(once text) RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT 1 FROM lost_writes WHERE mark = once) THEN
          RAISE EXCEPTION 'a lock is held' USING ERRCODE = 'lock_not_available';
        END IF;
        RETURN 1;
      END $$
      """)
  }

  private let mark = UUID().uuidString
  private let server: PostgreSQLServer

  init() throws {
    server = try PostgreSQLServer.shared
    try Self.table.get()
  }

  private func database(
    _ url: DatabaseURL, responseTimeout: Int64 = 10_000, settling: SettlingLimits? = SettlingLimits()
  ) throws -> SharedDatabase {
    var limits = PoolLimits()
    limits.responseTimeout = responseTimeout
    return try PostgreSQLDatabase(
      url, limits: limits, settling: settling, lookUps: Self.lookUps, clock: { monotonicMilliseconds() }
    ).shared
  }

  private static func insert(_ mark: String) -> [Query] {
    [Query("INSERT INTO lost_writes (mark) VALUES ($1) RETURNING id", .text(mark))]
  }

  private var insert: [Query] { Self.insert(mark) }
  private var evidence: Query { Query("SELECT id FROM lost_writes WHERE mark = $1", .text(mark)) }

  /// How many rows there are in the end.
  private func count() throws -> Int { try Connection.open().result(of: [evidence]).get().first?.count ?? 0 }

  /// Writes through a proxy that loses what is sent.
  private func outcome(
    _ cut: CuttingProxy.Cut, evidence: Query?, first: [Query] = []
  ) async throws -> WriteOutcome {
    let proxy = try CuttingProxy(to: server.socketFolder)
    let database = try database(server.url(folder: proxy.socketFolder))
    defer { database.close() }
    // Prepared, so that what follows is one message.
    _ = try await database.write(first + Self.insert("before"), nil)
    // A connection that is still being made would be cut in place of the one that writes.
    try await waitUntil { database.statistics().readyConnections == database.statistics().connections }
    proxy.cutNext(cut)
    defer { #expect(database.statistics().lostOutcomes == 1) }
    let outcome = try await database.write(first + insert, evidence)
    #expect(database.statistics().unknownOutcomes == 0)
    return outcome
  }

  @Test func `is found to be committed`() async throws {
    guard case .found(let rows) = try await outcome(.beforeResponse, evidence: evidence) else {
      return #expect(Bool(false), "it was run again")
    }
    #expect(rows.first?.integer(0) ?? 0 > 0)
    #expect(try count() == 1)
  }

  @Test func `is found not to be committed, and run again`() async throws {
    guard case .committed(let rows) = try await outcome(.beforeRequest, evidence: evidence) else {
      return #expect(Bool(false), "it was found")
    }
    #expect(rows.first?.count == 1)
    #expect(try count() == 1)
  }

  @Test func `is run again without a look if it may be run twice`() async throws {
    guard case .repeated = try await outcome(.beforeResponse, evidence: nil) else {
      return #expect(Bool(false), "nobody can tell that it was run twice")
    }
    #expect(try count() == 2)
  }

  @Test func `stays unknown if it is refused when it is run again without a look`() async throws {
    let error = await #expect(throws: SharedDatabaseError.self) {
      try await outcome(.beforeResponse, evidence: nil, first: [Query("SELECT refuse_again($1)", .text(mark))])
    }
    #expect(error?.kind == .outcomeUnknown)
    #expect(try count() == 1)
  }

  /// Whether a signal waits for a process that is stopped.
  private func isPending(_ signal: Int32, for process: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") }
    let bits = line.flatMap { UInt64($0.dropFirst(7).drop { $0.isWhitespace }, radix: 16) } ?? 0
    return bits & 1 << UInt64(signal - 1) != 0
  }

  private func stopWriter(of database: SharedDatabase) async throws -> pid_t {
    // Where the machine is slow, it may be run again.
    let rows = try await database.write([Query("SELECT pg_backend_pid()")], nil).rows
    let process = pid_t(try #require(rows.first?.first?.integer(0)))
    kill(process, SIGSTOP)
    return process
  }

  @Test func `never comes behind the look, even if the server's process was stopped before it`() async throws {
    let database = try database(server.url(), responseTimeout: 50)
    defer { database.close() }
    let process = try await stopWriter(of: database)
    defer { kill(process, SIGCONT) }
    async let outcome = database.write(insert, evidence)
    try await waitUntil { isPending(SIGTERM, for: process) }
    kill(process, SIGCONT)
    guard case .committed = try await outcome else { return #expect(Bool(false), "the stopped process has written") }
    #expect(try count() == 1)
  }

  @Test(arguments: [true, false])
  func `stays unknown while the server's process does not end`(mayEndIt: Bool) async throws {
    var settling = SettlingLimits()
    settling.maxWait = 60
    let database = try database(server.url(), responseTimeout: 50, settling: mayEndIt ? settling : nil)
    defer { database.close() }
    let process = try await stopWriter(of: database)
    defer { kill(process, SIGCONT) }
    let error = await #expect(throws: SharedDatabaseError.self) { try await database.write(insert, evidence) }
    #expect(error?.kind == .outcomeUnknown)
    #expect(error?.message.contains("has not ended in time") == mayEndIt)
    #expect(database.statistics().unknownOutcomes == 1)
  }
}
