import HTTPMessages

/// A client's connection: one request after the other, on its event loop's thread.
///
/// While a request is handled, nothing is read but its body, and that only when the handler asks;
/// what a client sends ahead waits in the kernel, which slows it down.
///
/// Here is how requests are read and handed to the application; `ConnectionBodySource` reads their bodies,
/// `ConnectionAnswer` sends the answers and decides what becomes of the connection, `ConnectionDelivery`
/// sends those that are not sent whole.
final class Connection {
  /// What the connection is doing.
  enum Phase {
    /// Waiting for a request, or for the rest of its head.
    case idle
    /// The handler is at work.
    case handling
    case writing
    /// Between two pieces of an answer that is sent piece by piece.
    case pausing
    /// Throwing away the rest of a body, after the answer.
    case discarding
    /// No more will be sent; reading on so that the client gets to read the answer.
    case lingering
    case closed
  }

  let slot: Int
  let context: ConnectionTable
  let socket: Socket
  private let peer: String
  var phase = Phase.idle
  /// Epoll tells each change once, so it is kept: whether a read, a write may succeed.
  var isReadable = false
  var isWritable = false
  var isPeerClosed = false
  var input: InputBuffer?
  private var scanner = HeadScanner()
  /// Whether the first byte of the head that is waited for has come.
  var hasBegunHead = false
  var exchange: RequestState?
  private var exchangeCount: UInt64 = 0
  var output: PendingResponse?
  var lingerEnd: Int64 = 0
  private var isProcessing = false
  /// Kept by the context: whether it has been asked to resume this connection.
  var isToBeResumed = false

  init(slot: Int, socket: Socket, peer: String, context: ConnectionTable) {
    self.slot = slot
    self.socket = socket
    self.peer = peer
    self.context = context
  }

  var limits: Limits { context.limits }

  // MARK: - What the loop tells

  func start() {
    context.setDeadline(of: self, after: limits.idleTimeout)
  }

  func handle(_ event: Poller.Event) {
    // While it lingers, "broken" may only mean that both sides have ended theirs. What is left to read must be
    // read then: a socket closed before would be reset, and the end of the answer lost.
    if event.isBroken && phase != .writing && phase != .lingering { return abort() }
    if event.isReadable { isReadable = true }
    if event.isPeerClosed { isPeerClosed = true }
    if event.isWritable { isWritable = true }
    resume()
  }

  /// Goes on with whatever can go on.
  func resume() {
    switch phase {
    case .idle: serve()
    case .handling: continueBody()
    case .writing: if isWritable { write() }
    case .discarding, .lingering: discard()
    case .pausing, .closed: break
    }
  }

  /// The time that the client, or the handler, had is over.
  func deadlineExpired() {
    switch phase {
    case .idle where input == nil, .writing, .pausing, .lingering, .discarding, .closed: close()
    case .idle:
      refuse(RequestError(status: .requestTimeout, message: "The request's head did not arrive in time."))
    case .handling:
      guard let exchange, !exchange.failBody(.timedOut) else { return }
      refuse(RequestError(status: .serviceUnavailable, message: "The request took too long. Try again later."))
    }
  }

  /// The server is about to stop.
  func drain() {
    switch phase {
    case .idle where input == nil: close()
    case .pausing: drip()
    default: break
    }
  }

  /// Ends the connection as it is.
  func abort() {
    close()
  }

  // MARK: - Reading requests

  /// Requests, or reads, after which a connection lets others have their turn.
  static let maxServed = 64

  /// Serves the requests that are there, in order, until one has to wait.
  func serve() {
    // An answer that is ready at once comes back here from within.
    guard !isProcessing else { return }
    isProcessing = true
    defer { isProcessing = false }
    for _ in 0..<Self.maxServed {
      guard phase == .idle else { return }
      do throws(RequestError) {
        if let head = try nextHead() {
          try begin(head)
          continue
        }
      } catch {
        return refuse(error)
      }
      guard isReadable else { return waitForHead() }
      guard receive() else { return }
    }
    if phase == .idle { context.resumeLater(self) }
  }

  private func nextHead() throws(RequestError) -> RequestHead? {
    guard let input, !input.isEmpty else { return nil }
    let limits = limits
    var scanner = scanner
    let found = try input.withBytes { (bytes) throws(RequestError) -> (skipped: Int, head: RequestHead?, length: Int) in
      // Empty lines before a request line are ignored (RFC 9112 §2.2).
      var skipped = 0
      while skipped + 1 < bytes.count, bytes[skipped] == 0x0d, bytes[skipped + 1] == 0x0a { skipped += 2 }
      let rest = UnsafeBufferPointer(rebasing: bytes[skipped...])
      guard skipped == 0 else { return (skipped, nil, 0) }
      if rest.count == 1 && rest[0] == 0x0d { return (0, nil, 0) }
      guard let length = try scanner.scan(rest, limits: limits) else { return (0, nil, 0) }
      return (0, try RequestParser.parse(UnsafeBufferPointer(rebasing: rest[..<length])), length)
    }
    if found.skipped > 0 {
      input.consume(found.skipped)
      return try nextHead()
    }
    guard let head = found.head else {
      self.scanner = scanner
      return nil
    }
    input.consume(found.length)
    releaseEmptyInput()
    self.scanner = HeadScanner()
    return head
  }

  /// Reads once; false when there is nothing to go on with.
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
    guard input != nil, !hasBegunHead else { return }
    hasBegunHead = true
    context.setDeadline(of: self, after: limits.headTimeout)
  }

  func releaseEmptyInput() {
    guard let input, input.isEmpty else { return }
    context.giveBack(input)
    self.input = nil
  }

  // MARK: - Handling

  private func begin(_ head: RequestHead) throws(RequestError) {
    let framing: BodyFraming
    let expectsContinue: Bool
    do throws(RequestError) {
      framing = try BodyFraming(of: head)
      expectsContinue = try RequestState.expectsContinue(head)
    } catch {
      exchange = .unread(isHead: head.method == .head)
      throw error
    }
    exchangeCount &+= 1
    let exchange = RequestState(
      number: exchangeCount, head: head, body: IncomingBody(framing, limits: limits),
      expectsContinue: expectsContinue, limits: limits)
    self.exchange = exchange
    phase = .handling
    let bound = LoopBound(self, loop: context.loop)
    let number = exchangeCount
    let body: RequestBody =
      exchange.body.isFinished
      ? .none
      : RequestBody(length: exchange.body.length, source: ConnectionBodySource(connection: bound, exchange: number))
    let request = Request(head: head, body: body, peer: peer)
    let respond = context.responder.respond
    let task = Task.immediate(executorPreference: context.loop) {
      let response = await respond(request)
      bound.value.finish(response, exchange: number)
    }
    if phase == .handling && exchange === self.exchange {
      exchange.task = task
      // A handler that waits for the body already has set the deadline of that.
      if !exchange.isWaiting { context.setDeadline(of: self, after: limits.handlerTimeout) }
    }
  }

  private func finish(_ response: Response, exchange number: UInt64) {
    // A client that went away, or an answer in its stead, has ended the exchange before.
    guard phase == .handling, let exchange, exchange.number == number else { return }
    // A task that the handler has left behind may still wait for the body.
    _ = exchange.failBody(.disconnected)
    send(response, for: exchange)
    serve()
  }

  private func refuse(_ error: RequestError) {
    var response = context.responder.refuse(error.status, error.message)
    response.closesConnection = true
    exchange?.task?.cancel()
    let refused = exchange ?? .unread()
    exchange = refused
    // Whatever else has come is not taken for a request.
    refused.mustLinger = true
    send(response, for: refused)
  }
}
