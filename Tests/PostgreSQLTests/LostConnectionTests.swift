import Glibc
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A lost connection to PostgreSQL` {
  private func serverProcess(of connection: PipelinedConnection) throws -> Int64 {
    try #require(try connection.rows("SELECT pg_backend_pid()").first?.integer(0))
  }

  @Test func `fails what was sent`() throws {
    let connection = try PipelinedConnection.open()
    let process = try serverProcess(of: connection)
    var outcomes: [SharedDatabaseError?] = []
    connection.read(Query("SELECT pg_sleep(30)")) { outcomes.append($0.error) }
    connection.read(Query("SELECT 1")) { outcomes.append($0.error) }
    try PostgreSQLServer.shared.endConnection(of: process)
    connection.wait { outcomes.count < 2 }
    #expect(outcomes.map { $0?.kind } == [.away, .away])
    #expect(connection.failure != nil)
    #expect(connection.descriptor == nil)
    #expect(connection.error("SELECT 1")?.kind == .away)
  }

  @Test func `is noticed when nothing is in flight`() throws {
    let connection = try PipelinedConnection.open()
    let process = try serverProcess(of: connection)
    try PostgreSQLServer.shared.endConnection(of: process)
    connection.wait { connection.failure == nil }
    #expect(connection.deadline == nil)
  }

  @Test func `is given up when a paused server does not respond`() throws {
    let connection = try PipelinedConnection.open(responseTimeout: 1_000)
    let process = pid_t(try serverProcess(of: connection))
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    var outcomes: [SharedDatabaseError.Kind?] = []
    connection.read(Query("SELECT 1")) { outcomes.append($0.error?.kind) }
    connection.wait { outcomes.isEmpty }
    #expect(outcomes == [.away])
    #expect(connection.failure == "the server does not respond")
  }

  @Test func `may be one to nobody`() throws {
    let url = try DatabaseURL("postgres://nobody@127.0.0.1:1/none")
    let error = #expect(throws: SharedDatabaseError.self) { try ClientConnection(url, name: "x") }
    #expect(error?.kind == .away && error?.message.contains("127.0.0.1") == true)
  }

  @Test func `fails what is in flight when the owner closes it`() throws {
    let connection = try PipelinedConnection.open()
    var outcomes: [SharedDatabaseError.Kind?] = []
    connection.read(Query("SELECT pg_sleep(1)")) { outcomes.append($0.error?.kind) }
    connection.close()
    connection.close()
    #expect(outcomes == [.away])
  }
}
