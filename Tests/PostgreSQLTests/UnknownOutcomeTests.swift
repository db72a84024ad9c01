import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `The outcome of a commit` {
  private func outcome(_ cut: CuttingProxy.Cut, isWrite: Bool, mark: String) throws -> SharedDatabaseError.Kind? {
    let server = try PostgreSQLServer.shared
    let proxy = try CuttingProxy(to: server.socketFolder)
    let connection = try Connection.open(server.url(folder: proxy.socketFolder))
    let query = Query("INSERT INTO outcomes VALUES ($1)", .text(mark))
    var kind: SharedDatabaseError.Kind?
    // Prepared, so that what follows is one message.
    try connection.rows("INSERT INTO outcomes VALUES ($1)", "before")
    proxy.cutNext(cut)
    if isWrite {
      connection.write([query]) { kind = $0.error?.kind }
    } else {
      connection.read(query) { kind = $0.error?.kind }
    }
    connection.wait { connection.state == .ready }
    return kind
  }

  private func count(of mark: String) throws -> Int64? {
    try Connection.open().rows("SELECT count(*) FROM outcomes WHERE mark = $1", .text(mark)).first?.integer(0)
  }

  @Test func `is unknown when the connection is lost after it was sent`() throws {
    try Connection.open().rows("CREATE TABLE IF NOT EXISTS outcomes (mark text)")
    #expect(try outcome(.beforeResponse, isWrite: true, mark: "committed") == .outcomeUnknown)
    #expect(try count(of: "committed") == 1)
    #expect(try outcome(.beforeResponseWithError, isWrite: true, mark: "pooled") == .outcomeUnknown)
    #expect(try count(of: "pooled") == 1)
    #expect(try outcome(.beforeRequest, isWrite: true, mark: "lost") == .outcomeUnknown)
    #expect(try count(of: "lost") == 0)
    for cut in [CuttingProxy.Cut.beforeRequest, .beforeResponseWithError] {
      #expect(try outcome(cut, isWrite: false, mark: "read") == .away)
    }
  }
}
