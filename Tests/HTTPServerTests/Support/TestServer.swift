import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// A server on a free port, and what its service has seen.
final class TestServer: Sendable {
  typealias Handler = @Sendable (Request) async -> Response

  private let server: Server
  /// Those that reached the service, as `METHOD target`.
  private let seenRequests: Monitor<[String]>
  private let seenRecords: Monitor<[RequestRecord]>
  let port: Int
  /// What the clients hold.
  let memory: MemoryBudget

  private init(
    port: Int, tls: TLSContext?, limits: Limits, memory: MemoryBudget, descriptors: DescriptorBudget, loops: Int,
    keepsRecords: Bool,
    endOfTurn: @escaping @Sendable () -> Void, handler: @escaping Handler
  ) throws {
    let listener = try Listener(host: "127.0.0.1", port: port)
    let (requests, records) = (Monitor<[String]>([]), Monitor<[RequestRecord]>([]))
    self.port = listener.port
    (seenRequests, seenRecords) = (requests, records)
    self.memory = memory
    server = try Server(
      listener: listener, tls: tls, loopCount: loops, limits: limits, memory: memory, descriptors: descriptors,
      responder: Responder(
        respond: { request in
          requests.withLock { $0.append(Self.line(of: request)) }
          return request.head.path.elementsEqual("/others".utf8) ? Self.text("hi") : await handler(request)
        },
        refuse: { status, message, request in
          var response = Self.error(status, message)
          if let head = request.head { response.fields.append("X-Refused", Array(head.path)) }
          return response
        }, endOfTurn: endOfTurn,
        responseSent: keepsRecords ? { @Sendable record in records.withLock { $0.append(record) } } : nil))
  }

  /// Runs a server while `body` does, and stops it. It responds "hi" to requests of `/others`.
  ///
  /// - Parameter tls: nil for plain HTTP.
  static func run<Result>(
    port: Int = 0, tls: TLSContext? = TestTransport.tls == nil ? nil : .forTests,
    limits: Limits = .forTests, memory: MemoryBudget = MemoryBudget(),
    descriptors: DescriptorBudget = .ofThisProcess, loops: Int = 1,
    keepsRecords: Bool = false, endOfTurn: @escaping @Sendable () -> Void = {}, handler: @escaping Handler = answerOK,
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let running = try TestServer(
      port: port, tls: tls, limits: limits, memory: memory, descriptors: descriptors, loops: loops,
      keepsRecords: keepsRecords, endOfTurn: endOfTurn, handler: handler)
    try await Blocking.run { try running.server.start() }
    do {
      let result = try await body(running)
      try await running.stop()
      return result
    } catch {
      try await running.stop()
      throw error
    }
  }

  /// Runs a server while `body` does with a client that has sent a text.
  static func run<Result>(
    receiveBuffer: Int? = nil, sending text: String = "", limits: Limits = .forTests,
    memory: MemoryBudget = MemoryBudget(), keepsRecords: Bool = false, handler: @escaping Handler = answerOK,
    _ body: (TestServer, RawClient) async throws -> Result
  ) async throws -> Result {
    try await run(limits: limits, memory: memory, keepsRecords: keepsRecords, handler: handler) { server in
      try await body(server, try await server.connect(receiveBuffer: receiveBuffer, sending: text))
    }
  }

  func stop() async throws {
    try await Blocking.run { [server] in server.stop() }
  }

  /// Waits until a server that is to stop accepts no more connections.
  func refusesConnections() async {
    await #expect(throws: RawClient.Failure.self) {
      while true { try await connect().close() }
    }
  }

  func setAccepting(_ accepts: Bool) throws { try server.setAccepting(accepts) }

  func replaceTLS(_ context: TLSContext) { server.replaceTLS(context) }

  /// Requests that reached the service so far.
  var requests: [String] { seenRequests.withLock { $0 } }

  /// The records of requests, once there are `count`; for a server that keeps them.
  func records(_ count: Int) async throws -> [RequestRecord] {
    try await waitUntil { seenRecords.withLock { $0.count >= count } }
    return seenRecords.withLock { $0 }
  }

  static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
  static let getOthers = "GET /others HTTP/1.1\r\nHost: a\r\n\r\n"

  /// A new client, which sends this first.
  func connect(receiveBuffer: Int? = nil, sending text: String = "") async throws -> RawClient {
    try await connect(receiveBuffer: receiveBuffer, sending: Array(text.utf8))
  }

  func connect(receiveBuffer: Int? = nil, sending bytes: [UInt8]) async throws -> RawClient {
    let client = try await RawClient.connect(to: port, receiveBuffer: receiveBuffer)
    if !bytes.isEmpty { try await client.send(bytes) }
    return client
  }

  /// A client whose request waits for its body, a byte, so that its connection does not give way to others.
  func connectWithRequest() async throws -> RawClient {
    let client = try await connect()
    let before = statistics[.receivingBody]
    try await client.send("POST /waiting HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
    try await waitUntil { statistics[.receivingBody] > before }
    return client
  }

  /// Whether a good request on a new connection is answered.
  func answersOthers() async throws -> Bool {
    let client = try await connect()
    try await client.send("GET /others HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    return try await client.response().status == 200
  }

  /// Waits until the first loop, which stands still, has been told to stop.
  func hasBeenToldToStop() async throws { try await waitUntil { server.loops[0].submittedCount >= 2 } }

  var statistics: ServerStatistics { server.statistics }

  /// Connections that are open now.
  var connections: Int { server.connectionCount }

  /// Waits until no connection is left.
  func becomesIdle() async throws { try await has(connections: 0) }

  /// Waits until so many connections are open.
  func has(connections: Int) async throws { try await waitUntil { server.connectionCount == connections } }

  // MARK: - Handlers

  /// Responds with what the application would: 200 once the body is there, or an error.
  static let answerOK: Handler = { request in
    do throws(BodyError) {
      let body = try await request.body.collect(upTo: 1 << 20)
      return text("\(line(of: request)) \(body.count)")
    } catch {
      switch error {
      case .tooLarge: return TestServer.error(.contentTooLarge, "too large")
      case .malformed(let message): return TestServer.error(.badRequest, message)
      case .timedOut: return TestServer.error(.requestTimeout, "too slow")
      case .disconnected: return TestServer.error(.badRequest, "gone")
      case .outOfMemory: return TestServer.error(.serviceUnavailable, "no memory")
      }
    }
  }

  static func text(_ text: String) -> Response { Response(status: .ok, body: .bytes(Array(text.utf8))) }

  static func error(_ status: Status, _ message: String) -> Response {
    Response(
      status: status, fields: ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\n"),
      body: .bytes(Array("{\"status\":\(status.code),\"message\":\"\(message)\"}".utf8)))
  }

  private static func line(of request: Request) -> String {
    "\(request.head.method) \(String(decoding: request.head.target, as: UTF8.self))"
  }
}

/// Lets a loop stand still in a handler, so that what comes meanwhile comes in one turn.
struct StandStill: Sendable {
  let begun = Gate()
  private let end = Semaphore()

  func hold() {
    begun.open()
    end.wait()
  }

  func goOn() { end.signal() }

  /// Responds as `TestServer.answerOK` does, but holds the loop at each request of `/busy` before.
  var handler: TestServer.Handler {
    { request in
      if request.head.path.elementsEqual("/busy".utf8) { hold() }
      return await TestServer.answerOK(request)
    }
  }

  static let request = "GET /busy HTTP/1.1\r\nHost: a\r\n\r\n"
}

extension Limits {
  /// The limits that are served with, but those on time that a test could reach where the machine is busy, and
  /// those that every test of an end would wait for.
  static var forTests: Limits {
    var limits = Limits()
    limits.idleTimeout = 300_000
    limits.headTimeout = 300_000
    limits.bodyTimeout = 300_000
    limits.writeTimeout = 300_000
    limits.handlerTimeout = 300_000
    limits.shortageDelay = 300_000
    limits.endingTimeout = 0
    limits.unframedEndingTimeout = 0
    limits.lingerTimeout = 300_000
    limits.lingerPauseTimeout = 300_000
    limits.firstRequestTimeout = 1
    return limits
  }

  func with(_ change: (inout Limits) -> Void) -> Limits {
    var limits = self
    change(&limits)
    return limits
  }
}

extension RawClient {
  /// Whether one more request is answered with 200.
  var isServed: Bool {
    get async throws { try await response(to: TestServer.get).status == 200 }
  }
}
