import TestSupport
import Testing

@testable import HTTPServer

@Suite(.eachTransport, .timeLimit(.minutes(10))) struct RefusalTests {
  @Test(.plainOnly, arguments: [1, 3])
  func `new connections are refused until they are accepted again, and open ones go on`(loops: Int) async throws {
    try await TestServer.run(loops: loops) { server in
      let open = try await server.connect()
      #expect(try await open.isServed)
      for _ in 0..<3 {
        for _ in 0..<2 { try server.setAccepting(false) }
        await #expect(throws: RawClient.Failure.self) { try await server.connect() }
        #expect(try await open.isServed)
        for _ in 0..<2 { try server.setAccepting(true) }
        #expect(try await server.answersOthers())
      }
    }
  }

  @Test func `a server on a port that was asked for has it again`() async throws {
    let port = try await TestServer.run { $0.port }
    try await TestServer.run(port: port) { server in
      try server.setAccepting(false)
      await #expect(throws: RawClient.Failure.self) { try await server.connect() }
      try server.setAccepting(true)
      #expect(try await server.answersOthers())
    }
  }

  @Test func `a server that has stopped accepts no connections again`() async throws {
    try await TestServer.run { server in
      try server.setAccepting(false)
      try await server.stop()
      try server.setAccepting(true)
      await #expect(throws: RawClient.Failure.self) { try await server.connect() }
    }
  }
}
