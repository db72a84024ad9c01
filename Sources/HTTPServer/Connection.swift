import HTTPMessages

/// A client's connection: one request after the other, on its event loop's thread.
///
/// While a request is handled, nothing is read but its body, and that only when the handler asks;
/// what a client sends ahead waits in the kernel, which slows it down.
final class Connection {
  /// What the connection is doing.
  private enum Phase {
    /// Waiting for a request, or for the rest of its head.
    case idle
    /// The handler is at work.
    case handling
    case writing
    /// Throwing away the rest of a body, after the answer.
    case discarding
    /// No more will be sent; reading on so that the client gets to read the answer.
    case lingering
    case closed
  }

  let slot: Int
  let context: LoopContext
  private let socket: Socket
  private let peer: String
  private var phase = Phase.idle
  /// Epoll tells each change once, so it is kept: whether a read, a write may succeed.
  private var isReadable = false
  private var isWritable = false
  private var isPeerClosed = false
  private var input: InputBuffer?
  private var scanner = HeadScanner()
  /// Whether the first byte of the head that is waited for has come.
  private var hasBegunHead = false
  private var exchange: Exchange?
  private var exchangeCount: UInt64 = 0
  private var output: Output?
  private var lingerEnd: Int64 = 0
  private var isProcessing = false
  /// Kept by the context: whether it has been asked to resume this connection.
  var isToBeResumed = false

  init(slot: Int, socket: Socket, peer: String, context: LoopContext) {
    self.slot = slot
    self.socket = socket
    self.peer = peer
    self.context = context
  }

  private var limits: Limits { context.limits }

  // MARK: - What the loop tells

  func start() {
    context.setDeadline(of: self, after: limits.idle)
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
    case .closed: break
    }
  }

  /// The time that the client, or the handler, had is over.
  func meetDeadline() {
    switch phase {
    case .idle where input == nil, .writing, .lingering, .discarding, .closed: close()
    case .idle:
      refuse(RequestError(status: .requestTimeout, message: "The request's head did not arrive in time."))
    case .handling:
      guard let exchange, !exchange.failBody(.timedOut) else { return }
      refuse(RequestError(status: .serviceUnavailable, message: "The request took too long. Try again later."))
    }
  }

  func closeIfIdle() {
    if case .idle = phase, input == nil { close() }
  }

  /// Ends the connection as it is.
  func abort() {
    close()
  }

  // MARK: - Reading requests

  /// Requests, or reads, after which a connection lets others have their turn.
  private static let mostServed = 64

  /// Serves the requests that are there, in order, until one has to wait.
  private func serve() {
    // An answer that is ready at once comes back here from within.
    guard !isProcessing else { return }
    isProcessing = true
    defer { isProcessing = false }
    for _ in 0..<Self.mostServed {
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
    let buffer = input ?? context.takeBuffer()
    input = buffer
    let (outcome, filledUp) = buffer.receive { socket.read(into: $0) }
    switch outcome {
    case .moved:
      // A short read has emptied the socket (epoll(7)), unless the peer's end waits behind it.
      if !filledUp && !isPeerClosed { isReadable = false }
      return true
    case .wouldBlock:
      isReadable = false
      waitForHead()
      return false
    case .end, .failed:
      close()
      return false
    }
  }

  /// The time for a head runs from its first byte; empty lines before it give a client no more time.
  private func waitForHead() {
    releaseEmptyInput()
    guard input != nil, !hasBegunHead else { return }
    hasBegunHead = true
    context.setDeadline(of: self, after: limits.headTime)
  }

  private func releaseEmptyInput() {
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
      expectsContinue = try Exchange.expectsContinue(head)
    } catch {
      exchange = .unread(isHead: head.method == .head)
      throw error
    }
    exchangeCount &+= 1
    let exchange = Exchange(
      number: exchangeCount, head: head, body: IncomingBody(framing, limits: limits),
      expectsContinue: expectsContinue, limits: limits)
    self.exchange = exchange
    phase = .handling
    let bound = LoopBound(self, loop: context.loop)
    let number = exchangeCount
    let body: RequestBody =
      exchange.body.isFinished
      ? .none : RequestBody(length: exchange.body.length, source: ConnectionBody(connection: bound, exchange: number))
    let request = Request(head: head, body: body, peer: peer)
    let respond = context.service.respond
    let task = Task.immediate(executorPreference: context.loop) {
      let response = await respond(request)
      bound.value.finish(response, exchange: number)
    }
    if phase == .handling && exchange === self.exchange {
      exchange.task = task
      // A handler that waits for the body already has set the deadline of that.
      if !exchange.isWaiting { context.setDeadline(of: self, after: limits.handler) }
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
    var response = context.service.refuse(error.status, error.message)
    response.closesConnection = true
    exchange?.task?.cancel()
    let refused = exchange ?? .unread()
    exchange = refused
    // Whatever else has come is not taken for a request.
    refused.mustLinger = true
    send(response, for: refused)
  }

  // MARK: - The body

  /// The next stretch of the body, for the handler.
  func nextBodyChunk(exchange number: UInt64) async throws(BodyError) -> [UInt8]? {
    guard let exchange, exchange.number == number, phase == .handling else { throw .disconnected }
    if exchange.owesContinue {
      exchange.owesContinue = false
      // Twenty-five bytes into an empty send buffer; if even they do not fit, the client, which
      // must not wait for ever (RFC 9110 §10.1.1), sends its body anyway.
      if input?.isEmpty ?? true { _ = ResponseWriter.continueLine.withUnsafeBytes { socket.write($0) } }
    }
    if let result = readBody(exchange) { return try result.get() }
    let patience = exchange.bodyPace.wait(now: context.now)
    guard patience > 0 else {
      exchange.mustLinger = true
      throw .timedOut
    }
    context.setDeadline(of: self, after: patience)
    let result = await withUnsafeContinuation { exchange.waiter = $0 }
    exchange.bodyPace.proceed(now: context.now)
    if phase == .handling { context.setDeadline(of: self, after: limits.handler) }
    return try result.get()
  }

  private func continueBody() {
    guard let exchange, exchange.isWaiting, isReadable, let result = readBody(exchange) else { return }
    exchange.resumeWaiter(with: result)
    // The handler goes on after this turn's deadlines, of which the body's may be one.
    context.setDeadline(of: self, after: limits.handler)
  }

  /// Reads once; nil when the client has sent nothing more yet.
  private func readBody(_ exchange: Exchange) -> Result<[UInt8]?, BodyError>? {
    do throws(BodyError) {
      while !exchange.body.isFinished {
        if let input, !input.isEmpty {
          let chunk = try exchange.body.take(from: input)
          releaseEmptyInput()
          exchange.bodyPace.move(chunk.count)
          if !chunk.isEmpty { return .success(chunk) }
          continue
        }
        guard isReadable else { return nil }
        if let wanted = exchange.body.wantsDirectly(most: limits.bodyChunk) {
          guard let chunk = try readDirectly(wanted) else { return nil }
          exchange.body.countDirect(chunk.count)
          exchange.bodyPace.move(chunk.count)
          return .success(chunk)
        }
        guard try fillInput() else { return nil }
      }
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }

  /// Reads body bytes to where they are handed over, without a stop in between.
  private func readDirectly(_ wanted: Int) throws(BodyError) -> [UInt8]? {
    var outcome = Socket.Outcome.wouldBlock
    let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      outcome = socket.read(into: UnsafeMutableRawBufferPointer(buffer))
      if case .moved(let moved) = outcome { count = moved }
    }
    guard try check(outcome, filledUp: chunk.count == wanted) else { return nil }
    return chunk
  }

  private func fillInput() throws(BodyError) -> Bool {
    let buffer = input ?? context.takeBuffer()
    input = buffer
    let (outcome, filledUp) = buffer.receive { socket.read(into: $0) }
    return try check(outcome, filledUp: filledUp)
  }

  /// Whether bytes have come.
  private func check(_ outcome: Socket.Outcome, filledUp: Bool) throws(BodyError) -> Bool {
    switch outcome {
    case .moved:
      if !filledUp && !isPeerClosed { isReadable = false }
      return true
    case .wouldBlock:
      isReadable = false
      return false
    case .end, .failed: throw .disconnected
    }
  }

  // MARK: - Answering

  private func send(_ response: Response, for exchange: Exchange) {
    let keepsAlive =
      exchange.wantsKeepAlive && !response.closesConnection && !exchange.mustLinger && !context.isDraining
      && exchange.body.mayBeDiscarded(limit: limits.discardedBody) && !exchange.owesContinue
    exchange.keepsAlive = keepsAlive
    let head = context.writer.serialize(
      response, version: exchange.version, keepsAlive: keepsAlive, omitsBody: exchange.isHead)
    var file: Output.FilePart?
    if !exchange.isHead && response.status.hasContent,
      case .file(let open, let offset, let length) = response.body, length > 0
    {
      file = Output.FilePart(file: open, offset: offset, remaining: length)
    }
    output = Output(bytes: head, file: file, pace: Pace(limits: limits, pause: limits.writeStall))
    phase = .writing
    // Nothing else is being written, so the socket most likely takes it at once.
    write()
  }

  private func write() {
    guard output != nil else { return }
    switch output?.write(to: socket, now: context.now) {
    case .done:
      output = nil
      finishExchange()
    case .wouldBlock(let patience):
      isWritable = false
      guard patience > 0 else { return close() }
      context.setDeadline(of: self, after: patience)
    case .yield:
      context.setDeadline(of: self, after: limits.writeStall)
      context.resumeLater(self)
    case .failed, nil: close()
    }
  }

  /// The answer is on its way: what becomes of the connection?
  private func finishExchange() {
    guard let exchange else { return close() }
    if exchange.keepsAlive {
      if exchange.body.isFinished { return awaitRequest() }
      phase = .discarding
      context.setDeadline(of: self, after: limits.bodyPause)
      discard()
    } else if exchange.mustLinger || !exchange.body.isFinished || input != nil || isReadable {
      linger()
    } else {
      close()
    }
  }

  private func awaitRequest() {
    exchange = nil
    phase = .idle
    hasBegunHead = false
    if context.isDraining && input == nil { return close() }
    context.setDeadline(of: self, after: limits.idle)
    serve()
  }

  private func linger() {
    socket.endWriting()
    exchange = nil
    phase = .lingering
    lingerEnd = context.now &+ limits.linger
    discard()
  }

  /// Reads and throws away: the rest of a body, or whatever comes while lingering.
  private func discard() {
    if phase == .discarding { return discardBody() }
    input = nil
    for _ in 0..<Self.mostServed where isReadable {
      switch context.withDiscardBuffer(socket.read) {
      case .moved: continue
      case .wouldBlock: isReadable = false
      case .end, .failed: return close()
      }
    }
    let left = lingerEnd &- context.now
    guard left > 0 else { return close() }
    if isReadable { context.resumeLater(self) }
    context.setDeadline(of: self, after: min(left, limits.lingerPause))
  }

  private func discardBody() {
    guard let exchange else { return close() }
    while let result = readBody(exchange) {
      switch result {
      case .success(.some): continue
      case .success(nil): return awaitRequest()
      case .failure: return close()
      }
    }
  }

  private func close() {
    guard phase != .closed else { return }
    phase = .closed
    context.remove(self)
    socket.shut()
    if let input { context.giveBack(input) }
    input = nil
    output = nil
    exchange?.task?.cancel()
    _ = exchange?.failBody(.disconnected)
    exchange = nil
  }
}

/// A request body that is read from its connection.
private struct ConnectionBody: RequestBody.Source {
  let connection: LoopBound<Connection>
  let exchange: UInt64

  func next() async throws(BodyError) -> [UInt8]? {
    if connection.loop.isCurrent { return try await connection.value.nextBodyChunk(exchange: exchange) }
    // A task that does not inherit the handler's executor, such as a detached one.
    return try await withTaskExecutorPreference(connection.loop) { () async throws(BodyError) in
      try await connection.value.nextBodyChunk(exchange: exchange)
    }
  }
}
