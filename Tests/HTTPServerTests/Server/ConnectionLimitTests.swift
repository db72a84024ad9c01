import Platform
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
  @Test func `a connection with a descriptor of the server's reserve is refused if none gives way for it`() async throws
  {
    let descriptors = DescriptorBudget(limit: 0)
    try await TestServer.run(tls: nil, descriptors: descriptors) { server in
      let client = try await server.connect()
      #expect(try await client.response().status == 503)
      client.close()
      #expect(server.statistics[.refused] == 1)
    }
  }

  @Test(arguments: [true, false])
  func `connections of every loop give way for a file`(mayWait: Bool) async throws {
    let descriptors = DescriptorBudget(limit: .max)
    try await TestServer.run(tls: nil, descriptors: descriptors, loops: 2) { server in
      let busy = try await server.connectWithRequest()
      let idle = try await Self.connect(from: "127.0.0.9", to: server)
      // Who may not wait is not told of what the loops do.
      #expect(try await Blocking.run { descriptors.makeRoom(mayWait: mayWait) } == mayWait)
      #expect(try await idle.isAtEnd)
      #expect(try await busy.response(to: "x").status == 200)
    }
    #expect(!descriptors.makeRoom(mayWait: false))
  }

  /// Connects from an address, and returns when the server has noticed that, in a later millisecond.
  private static func connect(from source: String, to server: TestServer) async throws -> RawClient {
    let client = try await RawClient.connect(to: server.port, from: source, tls: nil)
    _ = try await client.isServed
    try await later()
    return client
  }

  /// Returns two milliseconds from now at the earliest.
  private static func later() async throws {
    let now = monotonicMilliseconds()
    try await waitUntil { monotonicMilliseconds() > now + 1 }
  }

  @Test func `the address with most connections gives way, its longest idle one first`() async throws {
    try await TestServer.run(tls: nil, limits: .forTests.with { $0.maxConnections = 5 }) { server in
      let others = try await ["127.0.0.2", "127.0.0.3"].asyncMap { try await Self.connect(from: $0, to: server) }
      let most = try await (0..<3).asyncMap { _ in try await Self.connect(from: "127.0.0.9", to: server) }
      let new = try await Self.connect(from: "127.0.0.4", to: server)
      #expect(try await most[0].isAtEnd)
      for client in others + most[1...] + [new] { #expect(try await client.isServed) }
      #expect(server.statistics[.refused] == 0)
    }
  }

  @Test(arguments: ["", "G", "GET / HTTP/1.1\r\nHost: a\r\n"], [1, 2])
  func `a crowd that sends no request leaves room for a client that does`(start: String, loops: Int) async throws {
    try await TestServer.run(tls: nil, limits: .forTests.with { $0.maxConnections = 4 }, loops: loops) { server in
      let busy = try await server.connectWithRequest()
      let crowd = try await (0..<20).asyncMap { _ in
        let client = try await RawClient.connect(to: server.port, from: "127.0.0.9", tls: nil)
        try? await client.send(start)
        return client
      }
      #expect(try await server.answersOthers())
      #expect(server.statistics[.refused] == 0)
      #expect(try await busy.response(to: "x").status == 200)
      for client in crowd { client.close() }
    }
  }

  @Test(arguments: [1, 2])
  func `an address whose clients do not send the rest of their requests leaves room for others`(loops: Int) async throws
  {
    let limits = Limits.forTests.with { ($0.maxConnections, $0.shortageDelay) = (4, 1) }
    try await TestServer.run(tls: nil, limits: limits, loops: loops) { server in
      let crowd = try await (1...4).asyncMap { number in
        let client = try await RawClient.connect(to: server.port, from: "127.0.0.9", tls: nil)
        try await client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx")
        try await waitUntil { server.statistics[.receivingBody] == number }
        return client
      }
      try await Self.later()
      let other = try await Self.connect(from: "127.0.0.2", to: server)
      #expect(server.statistics[.refused] == 0)
      // One that is as slow, but of an address with fewer connections, stays.
      try await other.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
      try await waitUntil { server.statistics[.receivingBody] == 4 }
      try await Self.later()
      #expect(try await server.answersOthers())
      #expect(try await other.response(to: "x").status == 200)
      for client in crowd { client.close() }
    }
  }

  @Test func `clients that only take their time to read the last response give way`() async throws {
    try await TestServer.run(tls: nil, limits: .forTests.with { $0.maxConnections = 2 }) { server in
      let readers = try await (0..<2).asyncMap { _ in
        let client = try await server.connect(sending: "BAD\r\n\r\nmore")
        #expect(try await client.response().status == 400)
        return client
      }
      try await waitUntil { server.statistics[.closing] == 2 }
      #expect(try await server.answersOthers())
      for client in readers { client.close() }
    }
  }

  @Test func `a request that has arrived is answered before its connection gives way`() async throws {
    let loop = StandStill()
    let limits = Limits.forTests.with { $0.maxConnections = 2 }
    try await TestServer.run(tls: nil, limits: limits, handler: loop.handler) { server in
      let idle = try await Self.connect(from: "127.0.0.2", to: server)
      let busy = try await server.connect(sending: StandStill.request)
      await loop.begun.wait()
      let new = try await server.connect()
      try await idle.send(TestServer.get)
      loop.goOn()
      #expect(try await idle.response().status == 200)
      #expect(try await busy.response().status == 200)
      new.close()
    }
  }

}
