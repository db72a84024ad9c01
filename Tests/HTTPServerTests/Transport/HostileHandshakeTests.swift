import COpenSSL
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Clients of a TLS port that do not behave. Whatever they do, others are served.
@Suite(.timeLimit(.minutes(10))) struct HostileHandshakeTests {

  private func serve<Result>(
    limits: Limits = .forTests, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await TestServer.run(tls: .forTests, limits: limits) { server in
      let result = try await body(server)
      try await expectService(of: server)
      return result
    }
  }

  private func expectService(of server: TestServer) async throws {
    let client = try await RawClient.connect(to: server.port, tls: .init())
    #expect(try await client.isServed)
  }

  private func connect(_ server: TestServer, sending bytes: [UInt8] = []) async throws -> RawClient {
    let client = try await RawClient.connect(to: server.port, tls: nil)
    if !bytes.isEmpty { try await client.send(bytes) }
    return client
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "DELETE /api/delete_photo HTTP/1.1\r\n\r\n", "G", "POST / HTTP/1.1\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ])
  func `a plain request is told to use HTTPS`(text: String) async throws {
    try await serve { server in
      let client = try await connect(server)
      let response = try await client.response(to: text)
      #expect(response.status == 400 && response.isJSONError && response.announcesClose)
      #expect(response.text.contains("This port speaks HTTPS."))
      client.endSending()
      #expect(try await client.isAtEnd)
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    arguments: [
      [0], [0x80, 0x2e, 1, 3, 1, 0, 0, 0, 0, 0], Array("get / http/1.1\r\n\r\n".utf8),
      // An alert, data, a handshake that begins with something else, and empty records.
      [21, 3, 1, 0, 2, 1, 0, 0, 0], [23, 3, 3, 0, 100, 1, 2, 3, 4], [22, 3, 1, 0, 100, 2, 0, 0, 96],
      [22, 3, 1, 0, 0, 22, 3, 1, 0, 0], [22, 9, 9, 0, 100, 1, 0, 0, 96],
      // A ClientHello of sixteen megabytes, and one a byte larger than may be.
      [22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff], [22, 3, 1, 0x40, 0, 1, 0, 0x40, 1],
    ] as [[UInt8]])
  func `what is no handshake ends the connection at once`(bytes: [UInt8]) async throws {
    try await serve { server in
      let client = try await connect(server, sending: bytes)
      // The end may be a reset, since not all bytes were read.
      _ = try? await client.rest()
      try await server.becomesIdle()
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `the memory that a second hello announces is counted`() async throws {
    var hello = ClientTLS.hello()
    // Its key is for a group that the server does not know, so that it asks for another one (RFC 8446 §4.2.8).
    let keyShare = try #require(hello.firstRange(of: [0, 0x1d, 0, 32])?.lowerBound)
    let groups = try #require(hello.firstRange(of: [1, 3, 1, 4])?.lowerBound)
    for start in [keyShare, groups + 2] { hello.replaceSubrange(start..<(start + 2), with: [0x0a, 0x0a]) }
    try await serve { [hello] server in
      let client = try await connect(server, sending: hello)
      _ = try await client.receiveOnce()
      try await client.send([22, 3, 3, 0, 4, 1, 2, 1, 0x44])
      try await waitUntil { server.memory.usedBytes == TLSSession.secondHelloBytes }
      client.close()
      try await server.becomesIdle()
    }
  }

  @Test func `random bytes after the beginning of a handshake end the connection`() async throws {
    try await serve { server in
      var generator = SplitMix64(seed: 15)
      for _ in 0..<50 {
        let client = try await connect(server)
        var bytes = ClientTLS.hello()
        for _ in 0..<8 {
          let index = Int(generator.next() % UInt64(bytes.count - 9)) + 9
          bytes[index] = UInt8(truncatingIfNeeded: generator.next())
        }
        try await client.send(bytes)
        client.endSending()
        _ = try? await client.rest()
      }
      try await server.becomesIdle()
    }
  }

  @Test func `a handshake that arrives byte by byte is served`() async throws {
    try await serve { server in
      let client = try await connect(server)
      for byte in ClientTLS.hello() { try await client.send([byte]) }
      // A handshake record: the ServerHello.
      #expect(try await client.receiveOnce().first == 22)
      client.close()
    }
  }

  @Test(arguments: [0, 1, 5, 9, 100, .max])
  func `a handshake that stops ends in time`(count: Int) async throws {
    // Without a client that must be served: it would have as little time for its handshake.
    try await TestServer.run(tls: .forTests, limits: .forTests.with { $0.handshakeTimeout = 300 }) { server in
      let client = try await connect(server, sending: Array(ClientTLS.hello().prefix(count)))
      _ = try? await client.rest()
      try await server.becomesIdle()
    }
  }

  @Test(arguments: [5, 100, .max]) func `a client that vanishes in its handshake is forgotten`(count: Int) async throws
  {
    try await serve { server in
      for ends in [RawClient.reset, RawClient.close] {
        let client = try await connect(server, sending: Array(ClientTLS.hello().prefix(count)))
        ends(client)()
      }
      try await server.becomesIdle()
    }
  }

  @Test func `the oldest of too many handshakes gives way, and clients are served meanwhile`() async throws {
    try await serve(limits: .forTests.with { $0.maxHandshakes = 4 }) { server in
      var clients: [RawClient] = []
      for count in 1...12 {
        clients.append(try await connect(server))
        try await server.has(connections: min(count, 4))
      }
      for client in clients.prefix(8) { #expect(try await client.isAtEnd) }
      #expect(!clients[11].hasBeenEnded)
      try await expectService(of: server)
    }
  }

  @Test func `networks take turns at handshakes`() {
    #expect(HTTPConnection.network(of: "192.0.2.1") != HTTPConnection.network(of: "192.0.2.2"))
    #expect(HTTPConnection.network(of: "2001:db8::1") == HTTPConnection.network(of: "2001:db8::2:1"))
    #expect(HTTPConnection.network(of: "2001:db8::1") != HTTPConnection.network(of: "2001:db8:0:1::1"))
    #expect(HTTPConnection.network(of: "::ffff:192.0.2.1") != HTTPConnection.network(of: "::ffff:192.0.2.2"))
  }

  @Test func `a client may change its keys now and then, but not again and again`() async throws {
    try await serve { server in
      let client = try await RawClient.connect(to: server.port, tls: .init())
      let tls = try #require(client.tls)
      for _ in 0..<5 {
        try await Blocking.run { try tls.updateKeys() }
        #expect(try await client.isServed)
      }
      await #expect(throws: RawClient.Failure.self) {
        for _ in 0..<10_000 { try await Blocking.run { try tls.updateKeys() } }
      }
      try await server.becomesIdle()
    }
  }

  @Test func `a client that asks for a new handshake is disconnected`() async throws {
    try await serve { server in
      let client = try await RawClient.connect(to: server.port, tls: .init(maxVersion: TLS1_2_VERSION))
      let tls = try #require(client.tls)
      await #expect(throws: RawClient.Failure.self) { try await Blocking.run { try tls.renegotiate() } }
      _ = try? await client.send(TestServer.get)
      _ = try? await client.rest()
      try await server.becomesIdle()
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `beyond the limit of connections a client is disconnected at once`() async throws {
    try await TestServer.run(tls: .forTests, limits: .forTests.with { $0.maxConnections = 2 }) { server in
      let clients = try await TestTransport.$tls.withValue(.init()) {
        try await (0..<2).asyncMap { _ in try await server.connectWithRequest() }
      }
      await #expect(throws: RawClient.Failure.self) { try await RawClient.connect(to: server.port, tls: .init()) }
      #expect(server.statistics[.refused] == 1)
      for client in clients {
        #expect(try await client.response(to: "x").status == 200)
      }
    }
  }
}
