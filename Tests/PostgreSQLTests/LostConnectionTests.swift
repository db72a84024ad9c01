import Glibc
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A lost connection to PostgreSQL` {
  private func serverProcess(of connection: Connection) throws -> Int64 {
    try #require(try connection.rows("SELECT pg_backend_pid()").first?.integer(0))
  }

  @Test func `fails what was sent`() throws {
    let connection = try Connection.open()
    let process = try serverProcess(of: connection)
    var outcomes: [SharedDatabaseError?] = []
    connection.read(Query("SELECT pg_sleep(30)")) { outcomes.append($0.error) }
    connection.read(Query("SELECT 1")) { outcomes.append($0.error) }
    try PostgreSQLServer.shared.endConnection(of: process)
    connection.wait { outcomes.count < 2 }
    #expect(outcomes.map { $0?.kind } == [.away, .away])
    #expect(connection.state != .ready)
    #expect(connection.descriptor == nil)
    #expect(connection.error("SELECT 1")?.kind == .away)
  }

  @Test func `is noticed when nothing is in flight`() throws {
    let connection = try Connection.open()
    let process = try serverProcess(of: connection)
    try PostgreSQLServer.shared.endConnection(of: process)
    connection.wait { connection.state == .ready }
    #expect(connection.deadline == nil)
  }

  @Test func `is given up when a paused server does not respond`() throws {
    let connection = try Connection.open(responseTimeout: 50)
    let process = pid_t(try serverProcess(of: connection))
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    var outcomes: [SharedDatabaseError.Kind?] = []
    connection.read(Query("SELECT 1")) { outcomes.append($0.error?.kind) }
    connection.wait { outcomes.isEmpty }
    #expect(outcomes == [.away])
    #expect(connection.state == .closed("the server does not respond"))
  }

  @Test func `may be one to nobody`() throws {
    let connection = Connection(try DatabaseURL("postgres://nobody@127.0.0.1:1/none"), now: monotonicMilliseconds())
    connection.wait { connection.state == .connecting }
    guard case .closed(let reason) = connection.state else { return #expect(Bool(false), "\(connection.state)") }
    #expect(reason.contains("127.0.0.1"))
  }

  @Test func `fails what is in flight when the owner closes it`() throws {
    let connection = try Connection.open()
    var outcomes: [SharedDatabaseError.Kind?] = []
    connection.read(Query("SELECT pg_sleep(1)")) { outcomes.append($0.error?.kind) }
    connection.close()
    connection.close()
    #expect(outcomes == [.away])
  }
}
