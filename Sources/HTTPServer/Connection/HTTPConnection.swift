import Glibc
import HTTPMessages
import Platform

/// A client's connection: one request after another, on its event loop's thread.
///
/// While a request is handled, only its body is read, and only when the handler asks for it. Whatever the client sends
/// ahead waits in the kernel, which slows the client down.
///
/// A connection's life is its phase. `serve` reads a head, and `begin` hands the request to the application. The response
/// comes back to `finish`, which calls `send`. Once the response is written, `responseSent` waits for the next request or
/// ends the connection. This file holds the first half; HTTPConnection+Body.swift lets handlers wait for bodies,
/// HTTPConnection+Response.swift and HTTPConnection+End.swift hold the second half.
final class HTTPConnection {
  enum Phase {
    /// Agreeing on TLS.
    case handshaking(TLSContext)
    /// Waiting for a request or, since its first byte has arrived, for the rest of its head. Monotonic milliseconds.
    case idle(headStart: Int64?)
    /// The handler is at work.
    case handling(RequestState)
    case writing(RequestState)
    /// Waiting for the next piece of a streamed body.
    case fetching(RequestState)
    /// Reading the rest of a request's body, after the response, to keep the connection usable.
    case discarding(RequestState)
    /// Reading what follows the last response's request, with the sending side still open.
    case ending(RequestState)
    /// The last response was sent and the sending side closed. Reading goes on so that the client can read the response.
    case lingering(until: Int64)
    case closed
  }

  /// Reads done, or chunks of a body given to their handler, in one turn of the loop. Fewer would only cost more turns.
  static let maxReads = 64
  /// Bytes of a body that are read, or thrown away, in one turn of the loop. Fifty clients that send as fast as the server
  /// reads then keep the others waiting for a millisecond or two.
  static let maxBytesReadInTurn = 192 * 1024

  let slot: Int
  let table: ConnectionTable
  let socket: Socket
  let reader: RequestReader
  let peer: String
  /// Identifies the client where clients take turns, and where the one that has most gives way.
  let network: Int
  var phase = Phase.idle(headStart: nil) {
    didSet { countState() }
  }
  private(set) var requestCount: UInt64 = 0
  /// Monotonic milliseconds of the end of the last exchange, or of the connection's beginning.
  var idleSince: Int64
  /// The state in which it is counted; nil before `start`, and once it is closed.
  var countedState: ConnectionState?
  /// The bytes that the budget counts for TLS.
  var countedTLS = 0
  /// Kept by the table: whether the server had no room for this client.
  var isOverCapacity = false
  /// Kept by the table: whether it will resume this connection in the next turn.
  var isToBeResumed = false

  init(slot: Int, socket: Socket, peer: String, table: ConnectionTable) {
    self.slot = slot
    self.socket = socket
    self.peer = peer
    self.table = table
    reader = RequestReader(socket, table: table)
    network = Self.network(of: peer)
    idleSince = table.now
    socket.counters = counters
  }

  var limits: Limits { table.limits }
  var counters: LoopCounters { table.loop.counters }

  // MARK: - Called by the table

  /// - Parameter tls: nil for plain HTTP.
  func start(_ tls: TLSContext?) {
    countState()
    if let tls { return startHandshake(tls) }
    table.setDeadline(of: self, after: limits.idleTimeout)
  }

  /// - Parameter isLate: whether the turn has no time left for it.
  func handle(_ event: Poller.Event, isLate: Bool) {
    // While the connection lingers, "broken" may only mean that both sides have closed theirs. What is left must still
    // be read: closing the socket before would reset it, and the client would lose the end of the response.
    if event.isBroken && !isWriting && !isLingering { return close() }
    socket.note(event)
    if isLate || isHandshaking { return table.resumeLater(self) }
    // Otherwise its turn comes after those of other connections.
    if !isToBeResumed { resume() }
  }

  /// Continues with the current work.
  func resume() {
    switch phase {
    case .handshaking(let context): if socket.isReadable { continueHandshake(context) }
    case .handling(let request): continueBody(of: request)
    case .writing(let request): if socket.isWritable { write(request) }
    case .discarding, .ending, .lingering: discard()
    case .idle, .fetching, .closed: break
    }
    serve()
  }

  /// The client, the handler or the source of a body has used up its time.
  func deadlineExpired() {
    switch phase {
    case .handshaking, .writing, .lingering, .closed: close()
    case .fetching(let request): fetchFailed(.timedOut, for: request)
    case .discarding, .ending: awaitClose()
    case .idle where reader.isEmpty: closeUnlessRequested()
    case .idle where table.isDraining: close()
    case .idle:
      refuse(RequestError(status: .requestTimeout, message: "The request's head did not arrive in time."))
    case .handling(let request):
      guard !request.failBody(.timedOut) else { return }
      refuse(RequestError(status: .serviceUnavailable, message: "The request took too long. Try again later."))
    }
    serve()
  }

  func close() {
    guard !isClosed else { return }
    switch phase {
    case .ending: table.finishEnding()
    case .handshaking:
      table.handshakes.finish(self)
      if socket.tls != nil { counters.add(to: .failedHandshakes) }
    default: break
    }
    let request = phase.request
    phase = .closed
    if let request { endRecord(of: request, isComplete: false) }
    table.remove(self)
    socket.shut()
    reader.drop()
    countTLS(0)
    guard let request else { return }
    request.response = nil
    stopCountingOutput(of: request)
    request.task?.cancel()
    _ = request.failBody(.disconnected)
  }

  // MARK: - Requests

  /// Serves the requests that have arrived, in order, until one has to wait or others must have their turn: one request
  /// after an event, and as many as there is time for when the connection is resumed.
  ///
  /// Whatever begins work on a connection, such as an event or a task, calls this at the end; nothing that is called from
  /// here does.
  func serve() {
    var hasReceived = false
    while isIdle {
      do throws(RequestError) {
        if let head = try reader.nextHead() {
          try begin(head)
        } else {
          guard socket.isReadable else { return waitForHead() }
          guard receive() else { return }
          // These bytes may be a request.
          if !hasReceived {
            hasReceived = true
            continue
          }
        }
      } catch {
        return refuse(error)
      }
      if isIdle && reader.hasInput && !table.hasTimeLeft { return table.resumeLater(self) }
    }
  }

  /// Reads once; false when nothing has arrived.
  private func receive() -> Bool {
    do throws(BodyError) {
      if try reader.receive() { return true }
      waitForHead()
    } catch {
      close()
    }
    return false
  }

  /// The time for a head runs from its first byte; empty lines before it give a client no more time.
  private func waitForHead() {
    reader.releaseEmptyBuffer()
    guard !reader.isEmpty else {
      if table.isDraining && requestCount > 0 {
        socket.tls?.sendCloseNotify()
        close()
      }
      return
    }
    if table.memory.isExhausted && reader.residentBytes > InputBuffer.pageBytes { return drop() }
    guard case .idle(nil) = phase else { return }
    phase = .idle(headStart: table.now)
    table.setDeadline(of: self, after: table.isDraining ? limits.firstRequestTimeout : limits.headTimeout)
  }

  /// Hands a request to the application.
  ///
  /// - Throws: what is wrong with a head that cannot be read.
  private func begin(_ bytes: [UInt8]) throws(RequestError) {
    let length = bytes.count
    let head = try RequestHead.parse(bytes)
    let request: RequestState
    do throws(RequestError) {
      let incoming = IncomingBody(length: try head.bodyLength(), limits: limits)
      let expectsContinue = try RequestState.expectsContinue(head)
      let memory = try reserveMemory(headLength: length, hasBody: !incoming.isFinished)
      requestCount &+= 1
      request = RequestState(
        number: requestCount, head: head, body: incoming, memory: memory, expectsContinue: expectsContinue,
        record: newRecord(head.method, bytes: length), limits: limits)
    } catch {
      let refused = RequestState(head: head, record: newRecord(head.method, bytes: length), limits: limits)
      return refuse(error, refused)
    }
    phase = .handling(request)
    let bound = LoopBound(self, loop: table.loop)
    let body: RequestBody =
      request.body.isFinished
      ? .none
      : RequestBody(
        length: request.body.length, source: ConnectionBody(connection: bound, request: request.number),
        memory: request.memory)
    let message = Request(head: head, body: body, peer: peer, context: request.record?.context)
    switch table.responder.reply(message) {
    case .now(let response): finish(response, request: request.number)
    case .later(let respond): waitForHandler(respond, of: request, bound, headLength: length)
    }
  }

  /// Lets the handler respond when it can.
  private func waitForHandler(
    _ respond: @escaping @Sendable () async -> Response, of request: RequestState, _ bound: LoopBound<HTTPConnection>,
    headLength: Int
  ) {
    guard !table.memory.isOverrun else { return refuse(.outOfMemory) }
    request.waitingSince = table.now
    let (memory, number) = (request.memory ?? requestMemory(headLength: headLength), request.number)
    let task = Task.immediate(executorPreference: table.loop) {
      let response = await respond()
      bound.value.finish(response, request: number)
      // The handler may outlive its connection.
      withExtendedLifetime(memory) {}
    }
    guard case .handling(let current) = phase, current === request else { return }
    request.task = task
    if request.memory == nil { countWaiting(request, memory) }
    // A handler that already waits for the body has set the body's deadline.
    if !request.isWaiting { table.setDeadline(of: self, after: limits.handlerTimeout) }
  }

  private func finish(_ response: Response, request number: UInt64) {
    // The client may have gone away, or the request may have been refused meanwhile.
    guard case .handling(let request) = phase, request.number == number else { return }
    // A task that outlives the handler may still wait for the body.
    _ = request.failBody(.disconnected)
    let isServing = request.isBeingServed
    send(response, for: request)
    guard !isServing else { return }
    // A request that was sent ahead has its turn like those of others.
    if hasSentAhead { table.resumeLater(self) } else { serve() }
  }

  /// - Parameter unread: a request whose head says that it must be refused; the current one if nil.
  func refuse(_ error: RequestError, _ unread: RequestState? = nil) {
    let refused = unread ?? phase.request ?? RequestState(head: nil, record: newRecord(nil, bytes: 0), limits: limits)
    var response = refusal(error.status, error.message, of: refused)
    response.closesConnection = true
    refused.task?.cancel()
    // Whatever else arrives is not taken for a request.
    refused.mustLinger = true
    send(response, for: refused)
  }
}

extension RequestError {
  static let outOfMemory = RequestError(status: .serviceUnavailable, message: HTTPConnection.outOfMemory)
}

extension HTTPConnection.Phase {
  /// The request that is being handled or answered.
  var request: RequestState? {
    switch self {
    case .handling(let request), .writing(let request), .fetching(let request), .discarding(let request),
      .ending(let request):
      request
    case .handshaking, .idle, .lingering, .closed: nil
    }
  }
}

extension HTTPConnection {
  var isHandshaking: Bool { if case .handshaking = phase { true } else { false } }
  var isIdle: Bool { if case .idle = phase { true } else { false } }
  /// Whether the next request, or a part of it, was sent before the response to the last one.
  var hasSentAhead: Bool { if case .idle(headStart: nil) = phase { !reader.isEmpty } else { false } }
  var isWriting: Bool { if case .writing = phase { true } else { false } }
  var isLingering: Bool { if case .lingering = phase { true } else { false } }
  var isClosed: Bool { if case .closed = phase { true } else { false } }
}

extension HTTPConnection {
  /// The IPv4 address of a peer, or its IPv6 network of 64 bits, since a client can use all of its addresses. Two
  /// networks that happen to have the same number take turns as one.
  static func network(of peer: String) -> Int {
    var address = in6_addr()
    guard inet_pton(AF_INET6, peer, &address) == 1 else { return peer.hashValue }
    return withUnsafeBytes(of: &address) { bytes in
      // IPv4 addresses that are mapped to IPv6 are all in one network of 64 bits (RFC 4291 §2.5.5.2).
      let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
      return Array(isMapped ? bytes[...] : bytes.prefix(8)).hashValue
    }
  }
}
