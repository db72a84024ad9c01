import HTTPMessages

// How responses are sent, and what becomes of the connection after them.
extension Connection {
  func send(_ response: Response, for request: RequestState) {
    let keepsAlive =
      request.wantsKeepAlive && !response.closesConnection && !request.mustLinger && !table.isDraining
      && request.body.mayBeDiscarded(limit: limits.maxDiscardedBody) && !request.needs100Continue
    request.keepsAlive = keepsAlive
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
      head: head, body: body, rate: MinimumDataRate(limits: limits, timeout: limits.writeTimeout))
    phase = .writing
    // Nothing else is being written, so the socket most likely takes it at once.
    write()
  }

  func write() {
    // Taken out: changing it in place would copy it.
    guard var pending = pendingResponse.take() else { return }
    switch pending.write(to: socket, now: table.now) {
    case .done: responseSent()
    case .wouldBlock(let timeout):
      pendingResponse = pending
      isWritable = false
      guard timeout > 0 else { return close() }
      table.setDeadline(of: self, after: timeout)
    case .yield:
      pendingResponse = pending
      table.setDeadline(of: self, after: limits.writeTimeout)
      table.resumeLater(self)
    case .failed: close()
    }
  }

  private func responseSent() {
    guard let request else { return close() }
    if let rest = request.throttledBody, !rest.isEmpty { return pause(rest, in: request) }
    if request.keepsAlive {
      if request.body.isFinished { return awaitRequest() }
      phase = .discarding
      table.setDeadline(of: self, after: limits.bodyTimeout)
      discard()
    } else if request.mustLinger || !request.body.isFinished || input != nil || isReadable {
      linger()
    } else {
      close()
    }
  }

  private func awaitRequest() {
    request = nil
    phase = .idle
    hasBegunHead = false
    if table.isDraining && input == nil { return close() }
    table.setDeadline(of: self, after: limits.idleTimeout)
    serve()
  }

  private func linger() {
    socket.endWriting()
    request = nil
    phase = .lingering
    lingerEnd = table.now &+ limits.lingerTimeout
    discard()
  }

  /// Reads and throws away: the rest of a body, or whatever arrives while the connection lingers.
  func discard() {
    if phase == .discarding { return discardBody() }
    input = nil
    for _ in 0..<Self.maxServed where isReadable {
      switch table.withDiscardBuffer(socket.read) {
      case .moved: continue
      case .wouldBlock: isReadable = false
      case .end, .failed: return close()
      }
    }
    let left = lingerEnd &- table.now
    guard left > 0 else { return close() }
    if isReadable { table.resumeLater(self) }
    table.setDeadline(of: self, after: min(left, limits.lingerPauseTimeout))
  }

  private func discardBody() {
    guard let request else { return close() }
    while let result = readBody(request) {
      switch result {
      case .success(.some): continue
      case .success(nil): return awaitRequest()
      case .failure: return close()
      }
    }
  }
}
