import COpenSSL
import Glibc
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10)), .eachTransport) struct ServerStatisticsTests {

  /// Waits until so many connections are in a state, and all others are elsewhere.
  private func wait(for server: TestServer, _ state: ConnectionState, _ count: Int = 1) async throws {
    try await waitUntil { server.statistics[state] == count }
    let total = ConnectionState.allCases.reduce(0) { $0 + server.statistics[$1] }
    #expect(total == server.connections)
  }

  @Test func `each connection counts as what it is doing`() async throws {
    let gate = Gate()
    try await TestServer.run(handler: { request in
      if request.head.method == .put { await gate.wait() }
      if request.head.method == .options {
        return Response(status: .ok, body: .bytes([UInt8](repeating: 0x61, count: 32 << 20)))
      }
      return await TestServer.answerOK(request)
    }) { server, idle in
      try await wait(for: server, .idle)
      let head = try await server.connect(sending: "GET /a HTTP/1.1\r\n")
      try await wait(for: server, .receivingHead)
      let body = try await server.connect(sending: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na")
      try await wait(for: server, .receivingBody)
      let busy = try await server.connect(sending: "PUT /a HTTP/1.1\r\nHost: a\r\n\r\n")
      try await wait(for: server, .handling)
      let slow = try await server.connect(receiveBuffer: 4096, sending: "OPTIONS /a HTTP/1.1\r\nHost: a\r\n\r\n")
      try await wait(for: server, .sending)
      #expect(server.statistics.activeRequests == 3)
      #expect(server.statistics[.accepted] == 5)

      gate.open()
      _ = try await busy.response()
      _ = try await head.response(to: "Host: a\r\n\r\n")
      _ = try await body.response(to: "bc")
      try await wait(for: server, .idle, 4)
      #expect(server.statistics.activeRequests == 1)
      for client in [idle, head, body, busy, slow] { client.close() }
      try await server.becomesIdle()
      for state in ConnectionState.allCases { #expect(server.statistics[state] == 0, "\(state)") }
    }
  }

  @Test func `each byte of requests and responses counts`() async throws {
    try await TestServer.run { server, client in
      var received = 0
      for _ in 0..<10 {
        let response = try await client.response(to: TestServer.get)
        received += response.lines.reduce(2) { $0 + $1.utf8.count + 2 } + response.body.count
      }
      // The last bytes are counted after they were sent, perhaps after they were received.
      client.close()
      try await server.becomesIdle()
      #expect(server.statistics[.receivedBytes] == 10 * TestServer.get.utf8.count)
      #expect(server.statistics[.sentBytes] == received)
    }
  }

  @Test(.plainOnly) func `handshakes count by how they end and by their version`() async throws {
    try await TestServer.run(tls: .forTests) { server in
      for version in [TLS1_2_VERSION, TLS1_3_VERSION, TLS1_3_VERSION] {
        let client = try await RawClient.connect(to: server.port, tls: .init(maxVersion: version))
        _ = try await client.response(to: TestServer.get)
        let session = try #require(client.tls?.session)
        let resumed = try await RawClient.connect(
          to: server.port, tls: .init(maxVersion: version, session: session))
        _ = try await resumed.response(to: TestServer.get)
      }
      let plain = try await RawClient.connect(to: server.port, tls: nil)
      _ = try await plain.response(to: TestServer.get)
      let garbage = try await RawClient.connect(to: server.port, tls: nil)
      try await garbage.send([UInt8](repeating: 0, count: 100))
      _ = try? await garbage.rest()
      _ = try? await RawClient.connect(to: server.port, tls: .init(protocols: ["h2"]))
      // A client that goes away without a word, such as a check of the port, is no failure.
      try await RawClient.connect(to: server.port, tls: nil).close()

      try await waitUntil { server.statistics[.failedHandshakes] >= 3 }
      let statistics = server.statistics
      #expect(statistics[.fullHandshakes12] == 1)
      #expect(statistics[.fullHandshakes13] == 2)
      #expect(statistics[.resumedHandshakes12] == 1)
      #expect(statistics[.resumedHandshakes13] == 2)
      #expect(statistics[.failedHandshakes] == 3)
    }
  }
}
