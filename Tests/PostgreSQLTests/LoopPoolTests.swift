import Glibc
import HTTPMessages
import HTTPServer
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A pool of an event loop` {
  @Test func `answers requests on the loop's thread, and ends with the server`() async throws {
    let database = try PostgreSQLDatabase(
      PostgreSQLServer.shared.url(), clock: { monotonicMilliseconds() })
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let server = try Server(
      listener: listener, loopCount: 1,
      responder: Responder(
        respond: { _ in
          let before = pthread_self()
          let rows = try? await database.read(Query("SELECT 'found'::text"))
          let isSame = pthread_equal(before, pthread_self()) != 0
          return Response(status: .ok, body: .bytes(Array("\(rows?.first?.text(0) ?? "") \(isSame)".utf8)))
        }, refuse: { (_: RefusedRequest) in Response(status: .badRequest) }),
      service: database.makeLoopService)
    try await Blocking.run { try server.start() }
    let client = try await RawClient.connect(to: listener.port)
    for _ in 0..<3 {
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.response().text == "found true")
    }
    #expect(database.statistics.connections == 2)
    try await Blocking.run { server.stop() }
    #expect(database.statistics.connections == 0)
    database.close()
  }
}
