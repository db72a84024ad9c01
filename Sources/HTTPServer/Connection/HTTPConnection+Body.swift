import HTTPMessages

// How the body of a request is read: only while its handler waits for it. `IncomingBody` decodes the body.
extension HTTPConnection {
  /// The next chunk of the body, for the handler.
  func nextBodyChunk(request number: UInt64) async throws(BodyError) -> [UInt8]? {
    guard let request, request.number == number, phase == .handling else { throw .disconnected }
    if request.needs100Continue {
      request.needs100Continue = false
      // Twenty-five bytes. If there is no room for them, the client sends its body anyway: it must not wait for ever
      // (RFC 9110 §10.1.1). If there is room for some, the response would follow in the middle of a line.
      if input?.isEmpty ?? true, !socket.writeInterim(ResponseWriter.continueLine) {
        close()
        throw .disconnected
      }
    }
    let isTurnOver = isTurnOver(of: request)
    if !isTurnOver, let result = readBody(request) { return try result.get() }
    if request.memory?.isCollected == true { request.bodyRate.holdMemory(limits) }
    request.chunksInTurn = 0
    request.bytesInTurn = 0
    if isTurnOver {
      yieldTurn(request)
    } else {
      let timeout = request.bodyRate.beginWait(now: table.now)
      guard timeout > 0 else {
        request.mustLinger = true
        throw .timedOut
      }
      table.setDeadline(of: self, after: timeout)
    }
    let result = await withUnsafeContinuation {
      request.waiter = $0
      countState()
    }
    countState()
    request.bodyRate.endWait(now: table.now)
    if phase == .handling { table.setDeadline(of: self, after: limits.handlerTimeout) }
    return try result.get()
  }

  /// Whether others must have their turn before more of the body is read: a handler that gets one chunk after the other
  /// would keep the loop for as long as its client sends faster than the server reads. Records of TLS may hold a byte
  /// each.
  private func isTurnOver(of request: RequestState) -> Bool {
    (request.chunksInTurn >= Self.maxReads || request.bytesInTurn >= Self.maxBytesReadInTurn)
      && !request.body.isFinished && hasInput
  }

  /// Whether there is something to read, or may be.
  var hasInput: Bool { isReadable || input?.isEmpty == false }

  /// Continues the body in a later turn. Until then, the server does not wait for the client.
  private func yieldTurn(_ request: RequestState) {
    request.hasYielded = true
    table.setDeadline(of: self, after: limits.handlerTimeout)
    table.resumeLater(self)
  }

  func continueBody() {
    guard let request, request.isWaiting, hasInput else { return }
    // Ended before the bytes are counted, which pay for it.
    request.bodyRate.endWait(now: table.now)
    guard table.mayReadBody else { return yieldTurn(request) }
    let hadYielded = request.hasYielded
    request.hasYielded = false
    guard let result = readBody(request) else {
      let timeout = request.bodyRate.beginWait(now: table.now)
      if hadYielded { table.setDeadline(of: self, after: max(1, timeout)) }
      return
    }
    table.bodyBytesInTurn += request.bytesInTurn
    request.resumeWaiter(with: result)
    // The handler continues only after this turn's deadlines, one of which may be the body's.
    table.setDeadline(of: self, after: limits.handlerTimeout)
  }

  /// Reads once; nil when the client has sent nothing more yet.
  func readBody(_ request: RequestState) -> Result<[UInt8]?, BodyError>? {
    do throws(BodyError) {
      while !request.body.isFinished {
        if let input, !input.isEmpty {
          let (chunk, used) = try request.body.take(from: input)
          releaseEmptyInput()
          request.countBody(chunk.count, received: used)
          if !chunk.isEmpty { return .success(chunk) }
          continue
        }
        guard isReadable else { return nil }
        if let wanted = request.body.directReadSize(max: min(limits.maxBodyChunk, socket.readableSize)) {
          guard let chunk = try readDirectly(wanted) else { return nil }
          request.body.countDirect(chunk.count)
          request.countBody(chunk.count, received: chunk.count)
          return .success(chunk)
        }
        guard try fillInput() else { return nil }
      }
      return .success(nil)
    } catch {
      // Nobody knows where the next request begins.
      if case .malformed = error { request.mustLinger = true }
      return .failure(error)
    }
  }

  /// Reads body bytes into the array that the handler gets, without a copy through the input buffer.
  private func readDirectly(_ wanted: Int) throws(BodyError) -> [UInt8]? {
    var outcome = Socket.Outcome.wouldBlock
    let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      outcome = socket.read(into: UnsafeMutableRawBufferPointer(buffer))
      if case .moved(let moved) = outcome { count = moved }
    }
    guard try check(outcome, filledUp: chunk.count == wanted) else { return nil }
    return chunk
  }

  /// Reads once into the input buffer, for a head or a body; false when nothing has arrived.
  func fillInput() throws(BodyError) -> Bool {
    let buffer = input ?? table.takeBuffer()
    input = buffer
    let (outcome, filledUp) = buffer.receive { socket.read(into: $0) }
    return try check(outcome, filledUp: filledUp)
  }

  /// Whether bytes have arrived.
  private func check(_ outcome: Socket.Outcome, filledUp: Bool) throws(BodyError) -> Bool {
    switch outcome {
    case .moved:
      // The end of the peer's side may follow, which no event will report again.
      if socket.isDrained(filledUp: filledUp) && !isPeerClosed { isReadable = false }
      return true
    case .wouldBlock:
      isReadable = false
      return false
    case .end, .failed: throw .disconnected
    }
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
