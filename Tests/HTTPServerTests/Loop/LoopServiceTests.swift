import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// What a loop runs beside its connections.
@Suite(.timeLimit(.minutes(10))) struct LoopServiceTests {
  @Test func `a loop that stops also runs what its last work submits`() throws {
    let loop = try EventLoop()
    let done = Monitor<[Int]>([])
    loop.execute {
      loop.execute { done.withLock { $0.append(2) } }
      done.withLock { $0.append(1) }
    }
    loop.stop()
    loop.run(turn: { _, _ in }, endOfTurn: {}, timeout: { 0 })
    #expect(done.withLock { $0 } == [1, 2])
  }

  @Test func `a service is processed when its descriptor is readable, and only then`() async throws {
    let service = try TestService()
    try await TestServer.run(service: { service }) { server in
      let client = try await server.connect()
      #expect(try await client.isServed)
      #expect(service.events == [])
      service.ring()
      await service.processed.wait()
      #expect(try await server.answersOthers())
    }
    #expect(service.events == ["processed", "closed"])
  }

  @Test func `its deadline wakes a loop that has no connections`() async throws {
    let service = try TestService()
    service.setDeadline(inMilliseconds: 5)
    try await TestServer.run(service: { service }) { _ in await service.processed.wait() }
    #expect(service.events == ["processed", "closed"])
  }

  @Test(
    arguments: [
      (5, -1, 0...5), (5, 128, 0...5), (100_000, 128, 128...128), (-1_000, 128, 0...0), (-1_000, -1, 0...0),
      (nil, -1, -1 ... -1), (nil, 128, 128...128), (1 << 50, -1, .max ... .max), (1 << 50, 0, 0...0),
    ] as [(Int64?, Int32, ClosedRange<Int32>)])
  func `a loop waits until the deadline at most`(
    milliseconds: Int64?, other: Int32, expected: ClosedRange<Int32>
  ) throws {
    let service = try TestService()
    service.setDeadline(inMilliseconds: milliseconds)
    #expect(expected.contains(service.timeout(atMost: other)))
  }

  @Test func `a service is processed before the connections of its turn`() async throws {
    let service = try TestService()
    let loop = StandStill()
    try await TestServer.run(
      service: { service },
      handler: { request in
        if !request.head.path.elementsEqual("/busy".utf8) { service.note("requested") }
        return await loop.handler(request)
      }
    ) { server in
      let (first, second) = (try await server.connect(), try await server.connect())
      try await server.has(connections: 2)
      try await first.send(StandStill.request)
      await loop.begun.wait()
      try await second.send(TestServer.get)
      service.ring()
      loop.goOn()
      #expect(try await first.response().status == 200)
      #expect(try await second.response().status == 200)
    }
    #expect(service.events == ["processed", "requested", "closed"])
  }

  @Test func `a service is told of the end of the turn in which a request has asked it for something`() async throws {
    let service = try TestService()
    try await TestServer.run(
      service: { service }, endOfTurn: { service.note("responses sent") },
      handler: { _ in
        service.note("requested")
        service.askForEndOfTurn()
        return TestServer.text("done")
      }
    ) { server in
      let client = try await server.connect()
      #expect(try await client.isServed)
    }
    let events = service.events
    let request = try #require(events.firstIndex(of: "requested"))
    #expect(events[request...].prefix(3) == ["requested", "responses sent", "turn ended"])
  }

  @Test func `a service is closed once, after the connections, and those who wait for it go on`() async throws {
    let service = try TestService()
    let ended = Gate()
    try await TestServer.run(
      limits: .forTests.with { $0.drainTimeout = 1 }, service: { service },
      handler: { _ in
        await withTaskCancellationHandler {
          if await service.next() == false { ended.open() }
        } onCancel: {
          service.note("cancelled")
        }
        return TestServer.text("too late")
      }
    ) { server in
      let client = try await server.connect(sending: TestServer.get)
      try await service.isAwaited()
      try await server.stop()
      await ended.wait()
      try await server.stop()
      client.close()
    }
    #expect(service.events == ["cancelled", "closed"])
  }

  @Test func `a service that cannot be made ends the start with its error, and the others are closed`() async throws {
    let made = Monitor<[TestService]>([])
    await #expect(throws: NotPossible.self) {
      try await TestServer.run(
        loops: 3,
        service: {
          let service = try TestService()
          let count = made.withLock { made in
            made.append(service)
            return made.count
          }
          guard count != 2 else { throw NotPossible("no pool") }
          return service
        }
      ) { _ in Issue.record("started") }
    }
    #expect(made.withLock { $0.map(\.events) } == [["closed"], [], ["closed"]])
  }

  @Test func `a descriptor that cannot be watched ends the start`() async throws {
    let service = try TestService(isWatchable: false)
    await #expect(throws: SystemError.self) {
      try await TestServer.run(service: { service }) { _ in Issue.record("started") }
    }
    #expect(service.events == ["closed"])
  }
}
