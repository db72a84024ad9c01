import HTTPMessages

// How a handler waits for the body of its request, which is read only then. `RequestReader` reads it.
extension HTTPConnection {
  /// The next chunk of the body, for the handler.
  func nextBodyChunk(request number: UInt64) async throws(BodyError) -> [UInt8]? {
    guard case .handling(let request) = phase, request.number == number else { throw .disconnected }
    if request.needs100Continue {
      request.needs100Continue = false
      // Twenty-five bytes. If there is no room for them, the client sends its body anyway: it must not wait for ever
      // (RFC 9110 §10.1.1). If there is room for some, the response would follow in the middle of a line.
      if reader.isEmpty, !socket.writeInterim(ResponseWriter.continueLine) {
        close()
        throw .disconnected
      }
    }
    let isTurnOver = isTurnOver(of: request)
    if !isTurnOver, let result = reader.nextChunk(of: request) { return try result.get() }
    if request.memory?.isCollected == true { request.bodyRate.holdMemory(limits) }
    request.beginTurn()
    if isTurnOver {
      yieldTurn()
    } else {
      let timeout = request.bodyRate.beginWait(now: table.now)
      guard timeout > 0 else {
        request.mustLinger = true
        throw .timedOut
      }
      table.setDeadline(of: self, after: timeout)
    }
    let result = await withUnsafeContinuation {
      request.wait = isTurnOver ? .others($0) : .client($0)
      countState()
    }
    countState()
    request.bodyRate.endWait(now: table.now)
    if case .handling = phase { table.setDeadline(of: self, after: limits.handlerTimeout) }
    return try result.get()
  }

  /// Whether others must have their turn before more of the body is read: a handler that gets one chunk after the other
  /// would keep the loop for as long as its client sends faster than the server reads. Records of TLS may hold a byte
  /// each.
  private func isTurnOver(of request: RequestState) -> Bool {
    (request.chunksInTurn >= Self.maxReads || request.bytesInTurn >= Self.maxBytesReadInTurn)
      && !request.body.isFinished && reader.hasInput
  }

  /// Continues the body in a later turn. Until then, the server does not wait for the client.
  private func yieldTurn() {
    table.setDeadline(of: self, after: limits.handlerTimeout)
    table.resumeLater(self)
  }

  /// Gives a handler that waits for the body what has arrived.
  func continueBody(of request: RequestState) {
    guard request.isWaiting, reader.hasInput else { return }
    // Ended before the bytes are counted, which pay for it.
    request.bodyRate.endWait(now: table.now)
    guard table.mayReadBody else {
      request.waitForOthers()
      return yieldTurn()
    }
    guard let result = reader.nextChunk(of: request) else {
      let timeout = request.bodyRate.beginWait(now: table.now)
      if request.waitForClient() { table.setDeadline(of: self, after: max(1, timeout)) }
      return
    }
    table.bodyBytesInTurn += request.bytesInTurn
    request.resumeHandler(with: result)
    // The handler continues only after this turn's deadlines, one of which may be the body's.
    table.setDeadline(of: self, after: limits.handlerTimeout)
  }
}

/// A request body that is read from its connection.
struct ConnectionBody: RequestBody.Source {
  let connection: LoopBound<HTTPConnection>
  let request: UInt64

  func next() async throws(BodyError) -> [UInt8]? {
    if connection.loop.isCurrent { return try await connection.value.nextBodyChunk(request: request) }
    // A task that does not inherit the handler's executor, such as a detached one.
    return try await withTaskExecutorPreference(connection.loop) { () async throws(BodyError) in
      try await connection.value.nextBodyChunk(request: request)
    }
  }
}
