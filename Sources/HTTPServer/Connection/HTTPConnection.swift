import Glibc
import HTTPMessages
import Platform

/// A client's connection: one request after another, on its event loop's thread.
///
/// While a request is handled, only its body is read, and only when the handler asks for it. Whatever the client sends
/// ahead waits in the kernel, which slows the client down.
///
/// A connection starts in `serve`, which reads a head and hands the request to the application in `begin`. The response
/// comes back to `finish`, which calls `send`. Once the response is written, `responseSent` waits for the next request or
/// ends the connection. This file holds the first half; `HTTPConnection+Body.swift` reads bodies,
/// `HTTPConnection+Response.swift` and `HTTPConnection+End.swift` hold the second half.
final class HTTPConnection {
  enum Phase {
    /// Agreeing on TLS.
    case handshaking
    /// Waiting for a request, or for the rest of its head.
    case idle
    /// The handler is at work.
    case handling
    case writing
    /// Waiting for the next piece of a streamed body.
    case fetching
    /// Reading the rest of a request's body, after the response, to keep the connection usable.
    case discarding
    /// Reading what follows the last response's request, with the sending side still open.
    case ending
    /// The last response was sent and the sending side closed. Reading goes on so that the client can read the response.
    case lingering
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
  let peer: String
  var phase = Phase.idle {
    didSet { countState() }
  }
  /// The state in which it is counted; nil before `start`, and once it is closed.
  var countedState: ConnectionState?
  /// Epoll reports each change once, so it is remembered here: whether a read or a write may succeed.
  var isReadable = false
  var isWritable = false
  var isPeerClosed = false
  var input: InputBuffer?
  private var scanner = HeadScanner()
  /// When the first byte of the next head has arrived.
  var headStart: Int64?
  var request: RequestState?
  private(set) var requestCount: UInt64 = 0
  var pendingResponse: PendingResponse?
  var lingerEnd: Int64 = 0
  /// Thrown away since the last response.
  var discardedBytes = 0
  private var isServing = false
  /// Bytes of the response that the budget counts.
  var countedOutput = 0
  /// Kept by the table: whether the server had no room for this client.
  var isOverCapacity = false
  /// Until the handshake is done; nil for a connection without TLS.
  var tlsContext: TLSContext?
  /// Identifies the client where clients take turns, and where the one that has most gives way.
  let network: Int
  /// The bytes that the budget counts for TLS.
  var countedTLS = 0
  /// Monotonic milliseconds of the end of the last exchange, or of the connection's beginning.
  var idleSince: Int64
  /// Kept by the table: whether it will resume this connection in the next turn.
  var isToBeResumed = false

  /// - Parameter tls: nil for plain HTTP.
  init(slot: Int, socket: Socket, peer: String, tls: TLSContext? = nil, table: ConnectionTable) {
    self.slot = slot
    self.socket = socket
    self.peer = peer
    self.table = table
    tlsContext = tls
    network = Self.network(of: peer)
    idleSince = table.now
    socket.counters = counters
  }

  var limits: Limits { table.limits }
  var counters: LoopCounters { table.loop.counters }

  // MARK: - Called by the table

  func start() {
    countState()
    if tlsContext != nil { return startHandshake() }
    table.setDeadline(of: self, after: limits.idleTimeout)
  }

  /// - Parameter isLate: whether the turn has no time left for it.
  func handle(_ event: Poller.Event, isLate: Bool) {
    // While the connection lingers, "broken" may only mean that both sides have closed theirs. What is left must still
    // be read: closing the socket before would reset it, and the client would lose the end of the response.
    if event.isBroken && phase != .writing && phase != .lingering { return close() }
    if event.isReadable { isReadable = true }
    if event.isPeerClosed { isPeerClosed = true }
    if event.isWritable { isWritable = true }
    // TLS may have to write before it can read.
    if let tls = socket.tls {
      isReadable = true
      tls.mayHaveReceived()
    }
    if isLate || phase == .handshaking { return table.resumeLater(self) }
    // Otherwise its turn comes after those of other connections.
    if !isToBeResumed { resume() }
  }

  /// Continues with the current work.
  func resume() {
    switch phase {
    case .handshaking: if isReadable { continueHandshake() }
    case .idle: serve()
    case .handling: continueBody()
    case .writing: if isWritable { write() }
    case .discarding, .ending, .lingering: discard()
    case .fetching, .closed: break
    }
  }

  /// The client, the handler or the source of a body has used up its time.
  func deadlineExpired() {
    switch phase {
    case .handshaking, .writing, .lingering, .closed: close()
    case .fetching: fetchFailed(.timedOut)
    case .discarding, .ending: awaitClose()
    case .idle where input == nil: closeUnlessRequested()
    case .idle where table.isDraining: close()
    case .idle:
      refuse(RequestError(status: .requestTimeout, message: "The request's head did not arrive in time."))
    case .handling:
      guard let request, !request.failBody(.timedOut) else { return }
      refuse(RequestError(status: .serviceUnavailable, message: "The request took too long. Try again later."))
    }
  }

  func close() {
    guard phase != .closed else { return }
    if phase == .ending { table.finishEnding() }
    if phase == .handshaking {
      forgetHandshake()
      if socket.tls != nil { counters.add(to: .failedHandshakes) }
    }
    phase = .closed
    endRecord(isComplete: false)
    table.remove(self)
    socket.shut()
    if let input { table.giveBack(input) }
    input = nil
    pendingResponse = nil
    stopCountingOutput()
    countTLS(0)
    request?.task?.cancel()
    _ = request?.failBody(.disconnected)
    request = nil
  }

  // MARK: - Requests

  /// Serves the requests that have arrived, in order, until one has to wait or others must have their turn: one request
  /// after an event, and as many as there is time for when the connection is resumed.
  func serve() {
    // A response that is ready at once leads back here from within.
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    var hasReceived = false
    while phase == .idle {
      do throws(RequestError) {
        if let (head, length) = try nextHead() {
          try begin(head, length: length)
        } else {
          guard isReadable else { return waitForHead() }
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
      if phase == .idle && hasInput && !table.hasTimeLeft { return table.resumeLater(self) }
    }
  }

  /// Takes the next request's head out of the input; nil until all of it has arrived.
  private func nextHead() throws(RequestError) -> (RequestHead, length: Int)? {
    // Empty lines before a request line are ignored (RFC 9112 §2.2).
    guard let input, input.dropEmptyLines() else { return nil }
    let length = try input.withBytes { (bytes) throws(RequestError) in try scanner.scan(bytes, limits: table.limits) }
    guard let length else { return nil }
    scanner = HeadScanner()
    let head = input.take(length)
    releaseEmptyInput()
    return (try RequestHead.parse(head), length)
  }

  /// Reads once; false when nothing has arrived.
  private func receive() -> Bool {
    do throws(BodyError) {
      if try fillInput() { return true }
      waitForHead()
    } catch {
      close()
    }
    return false
  }

  /// The time for a head runs from its first byte; empty lines before it give a client no more time.
  private func waitForHead() {
    releaseEmptyInput()
    guard input != nil else {
      if table.isDraining && requestCount > 0 {
        socket.tls?.sendCloseNotify()
        close()
      }
      return
    }
    if table.memory.isExhausted && (input?.residentBytes ?? 0) > InputBuffer.pageBytes { return drop() }
    guard headStart == nil else { return }
    headStart = table.now
    countState()
    table.setDeadline(of: self, after: table.isDraining ? limits.firstRequestTimeout : limits.headTimeout)
  }

  /// Hands a request to the application.
  private func begin(_ head: RequestHead, length: Int) throws(RequestError) {
    let incoming: IncomingBody
    let expectsContinue: Bool
    let memory: RequestMemory?
    do throws(RequestError) {
      incoming = IncomingBody(length: try head.bodyLength(), limits: limits)
      expectsContinue = try RequestState.expectsContinue(head)
      memory = try reserveMemory(headLength: length, hasBody: !incoming.isFinished)
    } catch {
      request = RequestState(head: head, record: newRecord(head.method, bytes: length), limits: limits)
      throw error
    }
    requestCount &+= 1
    let number = requestCount
    let request = RequestState(
      number: number, head: head, body: incoming, memory: memory, expectsContinue: expectsContinue,
      record: newRecord(head.method, bytes: length), limits: limits)
    self.request = request
    phase = .handling
    let bound = LoopBound(self, loop: table.loop)
    let body: RequestBody =
      request.body.isFinished
      ? .none
      : RequestBody(
        length: request.body.length, source: ConnectionBody(connection: bound, request: number), memory: memory)
    let message = Request(head: head, body: body, peer: peer, context: request.record?.context)
    let respond: @Sendable () async -> Response
    switch table.responder.reply(message) {
    case .now(let response): return finish(response, request: number)
    case .later(let function): respond = function
    }
    guard !table.memory.isOverrun else { throw RequestError(status: .serviceUnavailable, message: Self.outOfMemory) }
    request.waitingSince = table.now
    let waitingMemory = memory ?? requestMemory(headLength: length)
    let task = Task.immediate(executorPreference: table.loop) {
      let response = await respond()
      bound.value.finish(response, request: number)
      // The handler may outlive its connection.
      withExtendedLifetime(waitingMemory) {}
    }
    if phase == .handling && request === self.request {
      request.task = task
      if memory == nil { countWaiting(request, waitingMemory) }
      // A handler that already waits for the body has set the body's deadline.
      if !request.isWaiting { table.setDeadline(of: self, after: limits.handlerTimeout) }
    }
  }

  private func finish(_ response: Response, request number: UInt64) {
    // The client may have gone away, or the request may have been refused meanwhile.
    guard phase == .handling, let request, request.number == number else { return }
    // A task that outlives the handler may still wait for the body.
    _ = request.failBody(.disconnected)
    send(response, for: request)
    serve()
  }

  func refuse(_ error: RequestError) {
    let refused = request ?? RequestState(head: nil, record: newRecord(nil, bytes: 0), limits: limits)
    request = refused
    var response = table.responder.refuse(error.status, error.message, refused.head, refused.record?.context)
    response.closesConnection = true
    refused.task?.cancel()
    // Whatever else arrives is not taken for a request.
    refused.mustLinger = true
    send(response, for: refused)
  }
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
