import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10))) struct TurnTests {
  @Test func `a client with many costly requests does not keep one of another address waiting`() async throws {
    let loop = StandStill()
    let order = Monitor<[String]>([])
    try await TestServer.run(
      tls: nil,
      handler: { request in
        if request.head.path.elementsEqual("/busy".utf8) { loop.hold() }
        order.withLock { $0.append(request.peer) }
        // A costly response.
        let end = monotonicNanoseconds() + 1_000_000
        while monotonicNanoseconds() < end {}
        return TestServer.text("hi")
      }
    ) { server in
      let crowd = try await (0..<50).asyncMap { _ in
        try await RawClient.connect(to: server.port, from: "127.0.0.2", tls: nil)
      }
      let other = try await RawClient.connect(to: server.port, from: "127.0.0.3", tls: nil)
      let busy = try await server.connect(sending: StandStill.request)
      await loop.begun.wait()
      for client in crowd + [other] { try await client.send(TestServer.get) }
      loop.goOn()
      for client in crowd + [other, busy] { #expect(try await client.response().status == 200) }
    }
    // After the one that was busy, the first event of the turn, and perhaps one that took its turn before.
    let place = try #require(order.withLock { $0.firstIndex(of: "127.0.0.3") })
    #expect(place <= 3)
  }
}
