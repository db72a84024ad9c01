import HTTPMessages

// How answers are sent, and what becomes of the connection after them.
extension Connection {
  func send(_ response: Response, for exchange: RequestState) {
    let keepsAlive =
      exchange.wantsKeepAlive && !response.closesConnection && !exchange.mustLinger && !context.isDraining
      && exchange.body.mayBeDiscarded(limit: limits.maxDiscardedBody) && !exchange.needs100Continue
    exchange.keepsAlive = keepsAlive
    let head = context.writer.head(of: response, version: exchange.version, keepsAlive: keepsAlive)
    // The answer to HEAD tells the length, and leaves the content behind (RFC 9110 §9.3.2).
    let body = exchange.isHead || !response.status.hasContent ? .bytes([]) : response.body
    if let delivery = response.transportFault { return deliver(head: head, body: body, for: exchange, as: delivery) }
    send(head: head, body: body)
  }

  // Inlined, so that a whole answer's body is not copied for the call.
  @inline(__always)
  func send(head: [UInt8], body: Response.Body) {
    output = PendingResponse(head: head, body: body, pace: MinimumDataRate(limits: limits, pause: limits.writeTimeout))
    phase = .writing
    // Nothing else is being written, so the socket most likely takes it at once.
    write()
  }

  func write() {
    // Taken out, not changed in its place: that would copy it.
    guard var pending = output.take() else { return }
    switch pending.write(to: socket, now: context.now) {
    case .done: finishExchange()
    case .wouldBlock(let patience):
      output = pending
      isWritable = false
      guard patience > 0 else { return close() }
      context.setDeadline(of: self, after: patience)
    case .yield:
      output = pending
      context.setDeadline(of: self, after: limits.writeTimeout)
      context.resumeLater(self)
    case .failed: close()
    }
  }

  /// The answer is on its way: what becomes of the connection?
  private func finishExchange() {
    guard let exchange else { return close() }
    if let drip = exchange.drip, !drip.isEmpty { return pause(drip, in: exchange) }
    if exchange.keepsAlive {
      if exchange.body.isFinished { return awaitRequest() }
      phase = .discarding
      context.setDeadline(of: self, after: limits.bodyTimeout)
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
    context.setDeadline(of: self, after: limits.idleTimeout)
    serve()
  }

  private func linger() {
    socket.endWriting()
    exchange = nil
    phase = .lingering
    lingerEnd = context.now &+ limits.lingerTimeout
    discard()
  }

  /// Reads and throws away: the rest of a body, or whatever comes while lingering.
  func discard() {
    if phase == .discarding { return discardBody() }
    input = nil
    for _ in 0..<Self.maxServed where isReadable {
      switch context.withDiscardBuffer(socket.read) {
      case .moved: continue
      case .wouldBlock: isReadable = false
      case .end, .failed: return close()
      }
    }
    let left = lingerEnd &- context.now
    guard left > 0 else { return close() }
    if isReadable { context.resumeLater(self) }
    context.setDeadline(of: self, after: min(left, limits.lingerPauseTimeout))
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

  func close() {
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
