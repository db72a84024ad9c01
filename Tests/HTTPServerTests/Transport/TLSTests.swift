import COpenSSL
import Cryptography
import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// What a server and its clients agree on. That HTTP works over TLS as it does without, the suites of connections show:
/// they run over both.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {

  private func serve<Result>(
    _ context: TLSContext? = nil, limits: Limits = .forTests, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await TestServer.run(tls: context ?? .forTests, limits: limits, body)
  }

  private func connect(
    _ server: TestServer, _ options: ClientTLS.Options = .init()
  ) async throws -> (client: RawClient, tls: ClientTLS) {
    let client = try await RawClient.connect(to: server.port, tls: options)
    return (client, try #require(client.tls))
  }

  /// `TLSServeTests` has the versions that are refused.
  @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
  func `a client gets the newest version that it knows, and http/1.1`(max: Int32, version: String) async throws {
    try await serve { server in
      let (client, tls) = try await connect(server, .init(maxVersion: max))
      #expect(tls.version == version)
      #expect(tls.selectedProtocol == "http/1.1")
      #expect(try await client.isServed)
    }
  }

  @Test func `a client that speaks no version of HTTP that the server knows is told so by an alert`() async throws {
    try await serve { server in
      await #expect(throws: RawClient.Failure.tls("tlsv1 alert no application protocol")) {
        _ = try await connect(server, .init(protocols: ["h2", "http/0.9"]))
      }
      let both = try await connect(server, .init(protocols: ["h2", "http/1.1"]))
      #expect(both.tls.selectedProtocol == "http/1.1")
      let old = try await connect(server, .init(protocols: ["http/1.0"]))
      #expect(old.tls.selectedProtocol == "http/1.0")
      #expect(try await old.client.isServed)
      let neither = try await connect(server, .init(protocols: []))
      #expect(try await neither.client.isServed)
    }
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `a session is resumed, and a new certificate is for new sessions, while open connections go on`(
    max: Int32
  ) async throws {
    let tickets = TicketKeys()
    let identities = try (0..<2).map { _ in try TestCertificate() }
    try await serve(TLSContext(identities[0].certifiedKey, tickets: tickets)) { server in
      let first = try await connect(server, .init(maxVersion: max))
      #expect(try await first.client.isServed)
      #expect(!first.tls.isResumed)
      let session = try #require(first.tls.session)
      let again = ClientTLS.Options(maxVersion: max, session: session)
      server.replaceTLS(try TLSContext(identities[1].certifiedKey, tickets: tickets))
      let resumed = try await connect(server, again)
      #expect(resumed.tls.isResumed)
      server.replaceTLS(try TLSContext(identities[1].certifiedKey, tickets: TicketKeys()))
      let forgotten = try await connect(server, again)
      #expect(!forgotten.tls.isResumed)
      #expect(first.tls.serverCertificate == identities[0].der)
      #expect(forgotten.tls.serverCertificate == identities[1].der)
      for client in [first.client, forgotten.client] { #expect(try await client.isServed) }
    }
  }

  @Test(arguments: [true, false])
  func `the end of a connection is announced, and of one that was idle`(isIdle: Bool) async throws {
    try await serve(limits: isIdle ? .forTests.with { $0.idleTimeout = 1 } : .forTests) { server in
      let (client, tls) = try await connect(server)
      if !isIdle {
        #expect(try await client.response(to: "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").status == 200)
      }
      #expect(try await client.isAtEnd)
      #expect(tls.hasCloseNotify)
    }
  }

  @Test func `connections are counted in the memory of clients until they end`() async throws {
    try await serve { server in
      let clients = try await (0..<10).asyncMap { _ in try await connect(server).client }
      try await waitUntil { server.memory.usedBytes == 10 * TLSSession.idleBytes }
      for client in clients { client.close() }
      try await server.becomesIdle()
      // The loop keeps a few buffers for the next connections.
      try await waitUntil { server.memory.usedBytes < 2 * TLSSession.idleBytes }
    }
  }

  @Test func `idle connections make room when memory is short`() async throws {
    let limits = Limits.forTests.with { ($0.shortageDelay, $0.droppingInterval) = (1, 1) }
    try await TestServer.run(tls: .forTests, limits: limits, memory: MemoryBudget(limit: 20 * TLSSession.idleBytes)) {
      server in
      let clients = try await (0..<30).asyncMap { _ in try await connect(server).client }
      try await waitUntil { !server.memory.isShort }
      #expect(server.connections < 30)
      #expect(try await RawClient.connect(to: server.port, tls: .init()).tls?.version == "TLSv1.3")
      for client in clients { client.close() }
    }
  }
}
