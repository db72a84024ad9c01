import HTTPMessages
import Platform

// How responses are sent, and how the connection goes on after them. `PendingResponse` writes their bytes, and
// HTTPConnection+End.swift ends the connection.
extension HTTPConnection {
  func send(_ response: Response, for request: RequestState) {
    if !request.isHead, let content = response.body.content, !reserveOutput(content.capacity) {
      return sendUnavailable(Self.outOfMemory, for: request)
    }
    let isRaw = if case .raw = response.body { true } else { false }
    let keepsAlive =
      request.wantsKeepAlive && !response.closesConnection && !isRaw && !request.mustLinger && !table.isDraining
      && request.body.mayBeDiscarded(limit: limits.maxEndingBytes)
      && !request.needs100Continue && (request.version.is11 || response.body.length != nil)
    request.keepsAlive = keepsAlive
    request.record?.status = response.status
    if !response.body.isStreamed { request.release() }
    let head = table.writer.head(of: response, version: request.version, keepsAlive: keepsAlive)
    // The response to HEAD has the length of the content, but not the content (RFC 9110 §9.3.2).
    let body = !isRaw && (request.isHead || !response.status.hasContent) ? .bytes([]) : response.body
    send(head: head, body: body)
  }

  // Inlined, so that the body of a whole response is not copied for the call.
  @inline(__always)
  func send(head: [UInt8], body: Response.Body) {
    pendingResponse = PendingResponse(
      head: head, body: body,
      rate: MinimumDataRate(limits: limits, timeout: limits.writeTimeout, holdsMemory: body.isInMemory),
      isChunked: request?.version.is11 ?? false)
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
      let hasMemory = countOutput(pending.uncountedBytes)
      pendingResponse = pending
      isWritable = false
      guard timeout > 0, hasMemory else { return close() }
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
    endRecord(isComplete: true)
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

  // MARK: - Records

  /// Nil if the responder has no `responseSent`.
  func newRecord(_ method: Method?, bytes: Int) -> RequestRecord? {
    guard table.responder.responseSent != nil else { return nil }
    var record = RequestRecord(method: method, peer: peer)
    record.bytesReceived = Int64(bytes)
    return record
  }

  /// Hands the record of the current request to the application, once.
  func endRecord(isComplete: Bool) {
    guard var record = request?.record.take() else { return }
    if let pendingResponse { record.bytesSent += pendingResponse.sentBytes }
    record.end(isComplete: isComplete)
    table.responder.responseSent?(record)
  }
}

// How a streamed body is fetched: one piece at a time, and only when the client has taken the one before.
extension HTTPConnection {
  /// Asks the source for the next piece. Closing the connection cancels the task.
  func fetchPiece() {
    guard let request, let body = pendingResponse?.streamedBody else { return close() }
    phase = .fetching
    guard body.reserveMemory(of: table.memory) else { return fetchFailed(.outOfMemory) }
    table.setDeadline(of: self, after: limits.fetchTimeout)
    let bound = LoopBound(self, loop: table.loop)
    let (source, offset, count, mayEnd) = (body.source, body.offset, body.nextCount, body.framing != .length)
    let (number, memory) = (request.number, body.memory)
    request.task = Task.immediate(executorPreference: table.loop) {
      // The piece is counted for as long as the source has it, though the connection may have closed.
      defer { withExtendedLifetime(memory) {} }
      do throws(BodyStream.Failure) {
        let piece = try await source.piece(at: offset, count: count, mayEnd: mayEnd)
        bound.value.pieceFetched(piece, request: number)
      } catch {
        if bound.value.isFetching(for: number) { bound.value.fetchFailed(error) }
      }
    }
  }

  private func pieceFetched(_ piece: [UInt8], request number: UInt64) {
    guard isFetching(for: number) else { return }
    guard pendingResponse?.streamedBody?.countMemory(of: piece) ?? true else { return fetchFailed(.outOfMemory) }
    pendingResponse?.add(piece)
    request?.release()
    phase = .writing
    table.setDeadline(of: self, after: limits.writeTimeout)
    // A source that has its pieces at hand would otherwise keep the loop until the client is slower.
    table.resumeLater(self)
  }

  /// False if the connection was closed meanwhile, or the source has used up its time.
  private func isFetching(for number: UInt64) -> Bool { phase == .fetching && request?.number == number }

  /// Ends a response whose next piece will not come. If the client has got nothing of it, it gets an error. Otherwise
  /// it sees by the length, or the missing last chunk, that the body was cut; where the end of the connection would be
  /// that of the body, by a reset.
  func fetchFailed(_ failure: BodyStream.Failure) {
    guard let request, let body = pendingResponse?.streamedBody else { return close() }
    body.source.end(failure)
    guard body.isUnsent else {
      if body.framing == .untilClose { socket.reset() }
      return close()
    }
    request.task?.cancel()
    pendingResponse = nil
    let message = if case .outOfMemory = failure { Self.outOfMemory } else { Self.unreadable }
    sendUnavailable(message, for: request)
  }

  private func sendUnavailable(_ message: String, for request: RequestState) {
    send(table.responder.refuse(.serviceUnavailable, message, request.head, request.record?.context), for: request)
  }

  private static let unreadable = "The server could not read this photo. Try again in a moment."
}
