import HTTPMessages

// How the body of a request is read: only while its handler waits for it.
extension Connection {
  /// The next stretch of the body, for the handler.
  func nextBodyChunk(exchange number: UInt64) async throws(BodyError) -> [UInt8]? {
    guard let exchange, exchange.number == number, phase == .handling else { throw .disconnected }
    if exchange.needs100Continue {
      exchange.needs100Continue = false
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
    if phase == .handling { context.setDeadline(of: self, after: limits.handlerTimeout) }
    return try result.get()
  }

  func continueBody() {
    guard let exchange, exchange.isWaiting, isReadable, let result = readBody(exchange) else { return }
    exchange.resumeWaiter(with: result)
    // The handler goes on after this turn's deadlines, of which the body's may be one.
    context.setDeadline(of: self, after: limits.handlerTimeout)
  }

  /// Reads once; nil when the client has sent nothing more yet.
  func readBody(_ exchange: RequestState) -> Result<[UInt8]?, BodyError>? {
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
        if let wanted = exchange.body.wantsDirectly(most: limits.maxBodyChunk) {
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

  /// Reads once into the buffer, for a head as for a body; false when nothing has come yet.
  func fillInput() throws(BodyError) -> Bool {
    let buffer = input ?? context.takeBuffer()
    input = buffer
    let (outcome, filledUp) = buffer.receive { socket.read(into: $0) }
    return try check(outcome, filledUp: filledUp)
  }

  /// Whether bytes have come.
  private func check(_ outcome: Socket.Outcome, filledUp: Bool) throws(BodyError) -> Bool {
    switch outcome {
    case .moved:
      // A short read has emptied the socket (epoll(7)), unless the peer's end waits behind it.
      if !filledUp && !isPeerClosed { isReadable = false }
      return true
    case .wouldBlock:
      isReadable = false
      return false
    case .end, .failed: throw .disconnected
    }
  }
}

/// A request body that is read from its connection.
struct ConnectionBodySource: RequestBody.Source {
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
