import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer
@testable import Platform

/// All clients of a server hold no more memory than they may, and the slowest make room.
@Suite(.eachTransport, .timeLimit(.minutes(10))) struct SharedMemoryTests {
  private static let mebibyte = 1 << 20

  /// Sends a body of 1 MiB but for its last byte.
  private static func holdBody(_ server: TestServer) async throws -> RawClient {
    let client = try await server.connect(sending: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(mebibyte)\r\n\r\n")
    try await client.send([UInt8](repeating: 7, count: mebibyte - 1))
    return client
  }

  /// Sends a head of 30 KB that announces a body, and waits until it has been read.
  private static func holdHead(_ server: TestServer) async throws -> RawClient {
    let client = try await server.connect()
    let count = server.requests.count
    try await client.send(head("POST /a", fields: "Content-Length: 100\r\n"))
    try await waitUntil { server.requests.count > count }
    return client
  }

  /// More than an idle connection takes with TLS, and the input buffer that the loop keeps, but less than with a head.
  private static let idleBytes = 60_000

  private static func head(_ line: String, fields: String = "") -> String {
    "\(line) HTTP/1.1\r\nHost: a\r\n\(fields)X: \(String(repeating: "x", count: 30_000))\r\n\r\n"
  }

  /// The statuses of the responses to bodies that lack a byte, which is sent once the first response has come.
  private static func statuses(of holders: [RawClient]) async throws -> [Int] {
    try await withThrowingTaskGroup(of: (number: Int, status: Int).self) { group in
      for (number, client) in holders.enumerated() {
        group.addTask { (number, try await client.response().status) }
      }
      let first = try #require(try await group.next())
      for (number, client) in holders.enumerated() where number != first.number {
        // Too late for a second one that was dropped.
        _ = try? await client.send("x")
      }
      return try await group.reduce(into: [first.status]) { $0.append($1.status) }
    }
  }

  private static let limits = Limits.forTests.with { $0.minShare = .max }

  /// Limits with which the slowest clients make room as soon as they are slow.
  private static let dropping = limits.with { ($0.shortageDelay, $0.droppingInterval) = (200, 0) }

  @Test func `bodies beyond the budget are refused, short ones are served, and all of it comes back`() async throws {
    try await TestServer.run(limits: Self.limits, memory: MemoryBudget(limit: 4 * Self.mebibyte)) { server in
      var holders: [RawClient] = []
      for number in 1...3 {
        holders.append(try await Self.holdBody(server))
        try await waitUntil { server.memory.usedBytes >= number * Self.mebibyte }
      }
      let another = try await Self.holdBody(server)
      #expect(try await another.response().status == 503)
      let small = try await server.connect(sending: "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
      #expect(try await small.response().text == "post /b 5")
      try await holders[0].send("x")
      #expect(try await holders[0].response().text == "post /a \(Self.mebibyte)")
      for client in holders + [another, small] { client.close() }
      try await server.becomesIdle()
      // What is left are the input buffers that the loop keeps.
      try await waitUntil { server.memory.usedBytes < Self.mebibyte }
    }
  }

  @Test func `responses that nobody reads are refused beyond the budget, and short ones are sent`() async throws {
    let handler: TestServer.Handler = { _ in
      Response(status: .ok, body: .bytes([UInt8](repeating: 7, count: 16 * Self.mebibyte)))
    }
    let memory = MemoryBudget(limit: 64 * Self.mebibyte)
    try await TestServer.run(limits: Self.limits, memory: memory, handler: handler) { server in
      let readers = try await (1...3).asyncMap { number in
        let client = try await server.connect(receiveBuffer: 16 * 1024, sending: TestServer.get)
        try await waitUntil { memory.usedBytes >= number * 16 * Self.mebibyte }
        return client
      }
      let another = try await server.connect(sending: TestServer.get)
      #expect(try await another.response().status == 503)
      #expect(try await another.response(to: TestServer.getOthers).status == 200)
      #expect(memory.peakBytes < 64 * Self.mebibyte)
      for client in readers { client.close() }
      try await waitUntil { memory.usedBytes < Self.mebibyte }
      #expect(try await another.response(to: TestServer.get).status == 200)
      another.close()
    }
  }

  @Test func `one turn of the event loop reads only a few megabytes for waiting handlers`() async throws {
    let (clients, length) = (100, 64 << 10)
    let loop = StandStill()
    let bytesInTurn = Monitor((now: 0, most: 0))
    try await TestServer.run(
      endOfTurn: { bytesInTurn.withLock { $0.now = 0 } },
      handler: { request in
        if request.head.path.elementsEqual("/busy".utf8) { loop.hold() }
        let first = try? await request.body.next()
        bytesInTurn.withLock { bytes in
          bytes.now += first?.count ?? 0
          bytes.most = max(bytes.most, bytes.now)
        }
        return await TestServer.answerOK(request)
      }
    ) { server in
      let head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
      let senders = try await (0..<clients).asyncMap { _ in try await server.connect(sending: head) }
      try await waitUntil { server.requests.count == clients }
      let busy = try await server.connect(sending: StandStill.request)
      await loop.begun.wait()
      for sender in senders { try await sender.send([UInt8](repeating: 7, count: length)) }
      loop.goOn()
      for sender in senders { #expect(try await sender.response().status == 200) }
      #expect(try await busy.response().status == 200)
    }
    // All that had arrived was 6.5 MB.
    #expect(bytesInTurn.withLock { $0.most } < 4 * Self.mebibyte)
  }

  @Test func `a server that is short of memory tells the slowest that it has none for them`() async throws {
    try await TestServer.run(limits: Self.dropping, memory: MemoryBudget(limit: 4 * Self.mebibyte)) { server in
      let holders = try await (0..<4).asyncMap { _ in try await Self.holdBody(server) }
      // More than three quarters are used, so one is dropped, or two.
      let statuses = try await Self.statuses(of: holders)
      #expect(statuses.first == 503)
      #expect(statuses.contains(200))
      #expect(try await server.answersOthers())
    }
  }

  @Test func `the client that holds most makes room, though it is fast enough`() async throws {
    let limits = Self.limits.with { $0.minShare = Self.mebibyte }
    try await TestServer.run(limits: limits, memory: MemoryBudget(limit: 4 * Self.mebibyte)) { server in
      let other = try await RawClient.connect(to: server.port, from: "127.0.0.2")
      try await other.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n")
      try await other.send([UInt8](repeating: 7, count: 399_999))
      try await waitUntil { server.memory.usedBytes >= 400_000 }
      let holders = try await (0..<3).asyncMap { _ in try await Self.holdBody(server) }
      let statuses = try await Self.statuses(of: holders)
      #expect(statuses.first == 503)
      #expect(statuses.contains(200))
      #expect(try await other.response(to: "x").text == "post /b 400000")
    }
  }

  @Test func `heads of requests that wait for their bodies are counted, and the slowest make room`() async throws {
    try await TestServer.run(limits: Self.dropping, memory: MemoryBudget(limit: 4 * Self.mebibyte)) { server in
      var clients: [RawClient] = []
      for number in 1...30 {
        clients.append(try await Self.holdHead(server))
        #expect(server.memory.usedBytes >= number * 30_000)
      }
      server.memory.add(2 * Self.mebibyte)
      #expect(try await clients[0].response().status == 503)
      try await waitUntil { !server.memory.isShort }
      server.memory.subtract(2 * Self.mebibyte)
      for client in clients { client.close() }
      try await server.becomesIdle()
      // What is left are the input buffers that the loop keeps.
      try await waitUntil { server.memory.usedBytes < 30 * 30_000 }
    }
  }

  @Test(arguments: [(TestServer.get, 1_000), (head("GET /a"), 30_000)])
  func `a request without a body is counted while its handler waits`(_ request: String, _ bytes: Int) async throws {
    let gate = Gate()
    try await TestServer.run(handler: { _ in
      await gate.wait()
      return TestServer.text("hi")
    }) { server in
      let client = try await server.connect(sending: Self.head("GET /others"))
      _ = try await client.response()
      try await waitUntil { server.memory.usedBytes < Self.idleBytes }
      let before = server.memory.usedBytes
      try await client.send(request)
      try await waitUntil { server.memory.usedBytes >= before + bytes }
      gate.open()
      _ = try await client.response()
      try await waitUntil { server.memory.usedBytes <= before }
    }
  }

  @Test func `a head is counted until the first piece of a streamed response`() async throws {
    let (asked, gates) = ([Gate(), Gate()], [Gate(), Gate()])
    let source = TestSource(count: 2 * BodyStream.maxPieceBytes) { number, bytes in
      asked[number].open()
      await gates[number].wait()
      return bytes
    }
    try await TestServer.run(sending: Self.head("GET /others"), handler: source.handler) { server, client in
      _ = try await client.response()
      try await waitUntil { server.memory.usedBytes < Self.idleBytes }
      let withoutHead = server.memory.usedBytes + BodyStream.maxPieceBytes
      try await client.send(Self.head("GET /a"))
      await asked[0].wait()
      #expect(server.memory.usedBytes >= withoutHead + 30_000)
      gates[0].open()
      async let response = client.response()
      await asked[1].wait()
      #expect(server.memory.usedBytes <= withoutHead)
      gates[1].open()
      #expect(try await response.body == source.bytes)
    }
  }

  @Test func `responses that nobody reads make room for others`() async throws {
    let body = [UInt8](repeating: 7, count: 4 * Self.mebibyte)
    let limits = Self.limits.with { $0.shortageDelay = 200 }
    try await TestServer.run(
      limits: limits, memory: MemoryBudget(limit: 16 * Self.mebibyte),
      handler: { _ in Response(status: .ok, body: .bytes(body)) }
    ) { server in
      let clients = try await (0..<8).asyncMap { _ in
        try await server.connect(receiveBuffer: 4096, sending: TestServer.get)
      }
      try await waitUntil { server.connections < 8 }
      try await waitUntil { !server.memory.isShort }
      #expect(try await server.answersOthers())
      for client in clients { client.close() }
    }
  }

  /// A handler that keeps memory which it has not reserved, until its client has gone or has been refused.
  private static let keeping: TestServer.Handler = { _ in
    try? await Task.sleep(for: .seconds(600))
    return TestServer.text("kept")
  }

  @Test func `requests that may hold what nobody has reserved make room, those of the network with most first`()
    async throws
  {
    let memory = MemoryBudget(limit: 64 * Self.mebibyte)
    let limits = Limits.forTests.with { $0.droppingInterval = 0 }
    try await TestServer.run(limits: limits, memory: memory, keepsRecords: true, handler: Self.keeping) { server in
      let many = try await (0..<8).asyncMap { _ in try await server.connect(sending: TestServer.get) }
      let other = try await RawClient.connect(to: server.port, from: "127.0.0.2")
      try await other.send(TestServer.get)
      try await waitUntil { server.statistics[.handling] == 9 }
      // Each is presumed to hold a ninth. Five of them are enough.
      memory.setUncounted(80 * Self.mebibyte, isNew: true)
      try await waitUntil { server.statistics[.handling] == 4 }
      // Until it was looked for again, what they held may be free.
      for _ in 0..<10 { #expect(try await server.answersOthers()) }
      #expect(server.statistics[.handling] == 4)
      memory.setUncounted(0, isNew: true)
      let statuses = try await server.records(15).compactMap(\.status?.code)
      #expect(statuses.count { $0 == 503 } == 5 && statuses.count { $0 == 200 } == 10)
      // Their handlers would wait on for clients that only ended their side.
      for client in many + [other] { client.reset() }
    }
  }

  @Test func `no request that waits begins while memory is overrun`() async throws {
    let memory = MemoryBudget()
    try await TestServer.run(memory: memory) { server in
      memory.setOverrun(true)
      let refused = try await server.connect(sending: TestServer.get).response()
      #expect(refused.status == 503 && server.requests == [])
      memory.setOverrun(false)
      #expect(try await server.answersOthers())
    }
  }

  @Test(arguments: [
    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", head("GET /a"),
    // More than a page of a head that has not ended.
    String(head("GET /a").prefix(5_000)),
  ])
  func `a request that would hold memory is refused when there is none, and a short one is served`(
    _ request: String
  ) async throws {
    let memory = MemoryBudget(limit: 4 * Self.mebibyte)
    try await TestServer.run(limits: Self.limits, memory: memory) { server in
      memory.add(memory.limit)
      #expect(try await server.connect(sending: request).response().status == 503)
      #expect(server.requests == [])
      // A buffer that has held a whole long head is kept, and still takes the memory.
      if !request.hasSuffix("\r\n\r\n") {
        let short = try await server.connect(sending: "GET /a HTTP/1.1\r\nHost: a\r\n")
        #expect(try await short.response(to: "\r\n").status == 200)
      }
      memory.subtract(memory.limit)
    }
  }
}
