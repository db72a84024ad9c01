import HTTPMessages

// How responses are sent, and what becomes of the connection after them.
extension Connection {
  func send(_ response: Response, for request: RequestState) {
    let keepsAlive =
      request.wantsKeepAlive && !response.closesConnection && !request.mustLinger && !table.isDraining
      && request.body.mayBeDiscarded(limit: limits.maxDiscardedBody, ifChunked: !request.bringsBody)
      && !request.needs100Continue && (request.version == .http11 || response.body.length != nil)
    request.keepsAlive = keepsAlive
    request.record?.status = response.status
    if !response.body.isStreamed { request.release() }
    let head = table.writer.head(of: response, version: request.version, keepsAlive: keepsAlive)
    // The response to HEAD has the length of the content, but not the content (RFC 9110 §9.3.2).
    let body = request.isHead || !response.status.hasContent ? .bytes([]) : response.body
    if let fault = response.transportFault { return send(head: head, body: body, for: request, with: fault) }
    send(head: head, body: body)
  }

  // Inlined, so that the body of a whole response is not copied for the call.
  @inline(__always)
  func send(head: [UInt8], body: Response.Body) {
    pendingResponse = PendingResponse(
      head: head, body: body,
      rate: MinimumDataRate(limits: limits, timeout: limits.writeTimeout, holdsMemory: body.isInMemory),
      isChunked: request?.version == .http11)
    phase = .writing
    // Nothing else is being written, so the socket most likely takes it at once.
    write()
  }

  func write() {
    // Taken out: changing it in place would copy it.
    guard var pending = pendingResponse.take() else { return }
    switch pending.write(to: socket, now: table.now) {
    case .done:
      stopCountingOutput()
      request?.record?.bytesSent += pending.sentBytes
      responseSent()
    case .wouldBlock(let timeout):
      countOutput(pending.uncountedBytes)
      pendingResponse = pending
      isWritable = false
      guard timeout > 0 else { return close() }
      table.setDeadline(of: self, after: timeout)
    case .yield:
      pendingResponse = pending
      table.setDeadline(of: self, after: limits.writeTimeout)
      table.resumeLater(self)
    case .needsPiece:
      pendingResponse = pending
      fetchPiece()
    case .failed:
      pendingResponse = pending
      close()
    }
  }

  private func responseSent() {
    guard let request else { return close() }
    if let rest = request.throttledBody, !rest.isEmpty { return pause(rest, in: request) }
    tellExchange(isComplete: true)
    guard request.keepsAlive else { return end(after: request) }
    if request.body.isFinished { return awaitRequest() }
    phase = .discarding
    discardedBytes = 0
    table.setDeadline(of: self, after: limits.bodyTimeout)
    discard()
  }

  func awaitRequest() {
    request = nil
    headStart = nil
    phase = .idle
    idleSince = table.now
    // The server closes idle connections when it stops. A request may have arrived that no event has reported yet.
    if table.isDraining { isReadable = true }
    table.setDeadline(of: self, after: limits.idleTimeout)
    serve()
  }
}

// What the application is told of an exchange.
extension Connection {
  /// Nil if nobody is told of it.
  func record(of head: RequestHead, length: Int) -> ExchangeRecord? {
    guard table.responder.responseSent != nil else { return nil }
    var record = ExchangeRecord(method: head.method)
    record.bytesReceived = Int64(length)
    return record
  }

  /// Stands for a request that could not be read to the end of its head.
  func unread() -> RequestState {
    let request = RequestState.unread()
    if table.responder.responseSent != nil { request.record = ExchangeRecord(method: nil) }
    return request
  }

  /// Tells the application of the current exchange, unless it was told already.
  func tellExchange(isComplete: Bool) {
    guard var record = request?.record.take() else { return }
    if let pendingResponse { record.bytesSent += pendingResponse.sentBytes }
    table.responder.responseSent?(record.exchange(isComplete: isComplete, peer: peer, loop: table.index))
  }
}
