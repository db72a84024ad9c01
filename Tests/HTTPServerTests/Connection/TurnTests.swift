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
        return Self.costlyResponse()
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

  @Test func `a client that waits for each response is served before what many others have sent ahead`() async throws {
    let (loop, middle) = (StandStill(), StandStill())
    let order = Monitor<[String]>([])
    try await TestServer.run(
      tls: nil,
      handler: { request in
        if request.head.path.elementsEqual("/busy".utf8) { loop.hold() }
        let isFirstWithoutOthers = order.withLock { order in
          order.append(String(decoding: request.head.path, as: UTF8.self))
          return order.suffix(2) == ["/a", "/ahead"] && order.count { $0 == "/a" } == 50
        }
        if isFirstWithoutOthers { middle.hold() }
        return Self.costlyResponse()
      }
    ) { server in
      let crowd = try await (1...50).asyncMap { number in
        try await RawClient.connect(to: server.port, from: "127.0.1.\(number)", tls: nil)
      }
      let other = try await RawClient.connect(to: server.port, from: "127.0.0.3", tls: nil)
      let busy = try await server.connect(sending: StandStill.request)
      await loop.begun.wait()
      let ahead = "GET /ahead HTTP/1.1\r\nHost: a\r\n\r\n"
      for client in crowd { try await client.send(TestServer.get + ahead + ahead + ahead) }
      loop.goOn()
      await middle.begun.wait()
      // The turn has no time left for the second of these.
      try await busy.send(TestServer.get)
      try await other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
      middle.goOn()
      #expect(try await other.response().status == 200)
      for client in crowd { for _ in 0..<4 { #expect(try await client.response().status == 200) } }
      for _ in 0..<2 { #expect(try await busy.response().status == 200) }
    }
    let served = order.withLock { $0 }
    let middleIndex = try #require(
      served.indices.dropFirst().first { index in
        served[index] == "/ahead" && served[...index].count { $0 == "/a" } == 50
      })
    let place = try #require(served.firstIndex(of: "/other"))
    // After the one that held the loop, the first event of the turn, and one or two that took their turns before.
    #expect(place - middleIndex <= 4)
  }

  private static func costlyResponse() -> Response {
    let end = monotonicNanoseconds() + 1_000_000
    while monotonicNanoseconds() < end {}
    return TestServer.text("hi")
  }
}
