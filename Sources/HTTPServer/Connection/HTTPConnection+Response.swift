import HTTPMessages
import Platform

// How responses are sent, and how the connection goes on after them. `PendingResponse` writes their bytes, and
// HTTPConnection+End.swift ends the connection.
extension HTTPConnection {
  func send(_ response: Response, for request: RequestState) {
    if !request.isHead, let content = response.body.content, !reserveOutput(content.capacity, of: request) {
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
    send(head: head, body: body, for: request)
  }

  // Inlined, so that the body of a whole response is not copied for the call.
  @inline(__always)
  private func send(head: [UInt8], body: Response.Body, for request: RequestState) {
    request.response = PendingResponse(
      head: head, body: body,
      rate: MinimumDataRate(limits: limits, timeout: limits.writeTimeout, holdsMemory: body.isInMemory),
      isChunked: request.version.is11)
    phase = .writing(request)
    // Nothing else is being written, so the socket most likely takes it at once.
    write(request)
  }

  func write(_ request: RequestState) {
    // Taken out: changing it in place would copy it.
    guard var pending = request.response.take() else { return }
    switch pending.write(to: socket, now: table.now) {
    case .done:
      stopCountingOutput(of: request)
      request.record?.bytesSent += pending.sentBytes
      responseSent(request)
    case .wouldBlock(let timeout):
      let hasMemory = countOutput(pending.uncountedBytes, of: request)
      request.response = pending
      guard timeout > 0, hasMemory else { return close() }
      table.setDeadline(of: self, after: timeout)
    case .yield:
      request.response = pending
      table.setDeadline(of: self, after: limits.writeTimeout)
      table.resumeLater(self)
    case .needsPiece:
      request.response = pending
      fetchPiece(for: request)
    case .failed:
      request.response = pending
      close()
    }
  }

  private func responseSent(_ request: RequestState) {
    endRecord(of: request, isComplete: true)
    reader.beginDiscarding()
    guard request.keepsAlive else { return end(after: request) }
    if request.body.isFinished { return awaitRequest() }
    phase = .discarding(request)
    table.setDeadline(of: self, after: limits.bodyTimeout)
    discard()
  }

  func awaitRequest() {
    phase = .idle(headStart: nil)
    idleSince = table.now
    // The server closes idle connections when it stops. A request may have arrived that no event has reported yet.
    if table.isDraining { socket.isReadable = true }
    table.setDeadline(of: self, after: limits.idleTimeout)
  }

  // MARK: - Records

  /// Nil if the responder has no `responseSent`.
  func newRecord(_ method: Method?, bytes: Int) -> RequestRecord? {
    guard table.responder.responseSent != nil else { return nil }
    var record = RequestRecord(method: method, peer: peer)
    record.bytesReceived = Int64(bytes)
    return record
  }

  /// Hands the record of a request to the application, once.
  func endRecord(of request: RequestState, isComplete: Bool) {
    guard var record = request.record.take() else { return }
    if let response = request.response { record.bytesSent += response.sentBytes }
    record.end(isComplete: isComplete)
    table.responder.responseSent?(record)
  }
}

// How a streamed body is fetched: one piece at a time, and only when the client has taken the one before.
extension HTTPConnection {
  /// Asks the source for the next piece. Closing the connection cancels the task.
  private func fetchPiece(for request: RequestState) {
    guard let body = request.response?.streamedBody else { return close() }
    phase = .fetching(request)
    guard body.reserveMemory(of: table.memory) else { return fetchFailed(.outOfMemory, for: request) }
    table.setDeadline(of: self, after: limits.fetchTimeout)
    let bound = LoopBound(self, loop: table.loop)
    let (source, offset, count, mayEnd) = (body.source, body.offset, body.nextCount, body.framing != .length)
    let (number, memory) = (request.number, body.memory)
    request.task = nil
    request.task = Task.immediate(executorPreference: table.loop) {
      // The piece is counted for as long as the source has it, though the connection may have closed.
      defer { withExtendedLifetime(memory) {} }
      do throws(BodyStream.Failure) {
        let piece = try await source.piece(at: offset, count: count, mayEnd: mayEnd)
        bound.value.pieceFetched(piece, request: number)
      } catch {
        bound.value.pieceFailed(error, request: number)
      }
    }
  }

  private func pieceFetched(_ piece: [UInt8], request number: UInt64) {
    guard case .fetching(let request) = phase, request.number == number else { return }
    guard request.response?.streamedBody?.countMemory(of: piece) ?? true else {
      return pieceFailed(.outOfMemory, request: number)
    }
    request.response?.add(piece)
    request.release()
    phase = .writing(request)
    table.setDeadline(of: self, after: limits.writeTimeout)
    // A source that has its pieces at hand would otherwise keep the loop until the client is slower.
    table.resumeLater(self)
  }

  private func pieceFailed(_ failure: BodyStream.Failure, request number: UInt64) {
    // The connection may have closed meanwhile, or the source has used up its time.
    guard case .fetching(let request) = phase, request.number == number else { return }
    let isServing = request.isBeingServed
    fetchFailed(failure, for: request)
    if !isServing { serve() }
  }

  /// Ends a response whose next piece will not come. If the client has got nothing of it, it gets an error. Otherwise
  /// it sees by the length, or the missing last chunk, that the body was cut; where the end of the connection would be
  /// that of the body, by a reset.
  func fetchFailed(_ failure: BodyStream.Failure, for request: RequestState) {
    guard let body = request.response?.streamedBody else { return close() }
    body.source.end(failure)
    guard body.isUnsent else {
      if body.framing == .untilClose { socket.reset() }
      return close()
    }
    request.task?.cancel()
    request.response = nil
    let message = if case .outOfMemory = failure { Self.outOfMemory } else { Self.unreadable }
    sendUnavailable(message, for: request)
  }

  private func sendUnavailable(_ message: String, for request: RequestState) {
    send(refusal(.serviceUnavailable, message, of: request), for: request)
  }

  /// The response to a request that the server itself refuses.
  func refusal(_ status: Status, _ message: String, of request: RequestState) -> Response {
    let refused = RefusedRequest(head: request.head, peer: peer, context: request.record?.context)
    return table.responder.refuse(status, message, refused)
  }

  private static let unreadable = "The server could not read this photo. Try again in a moment."
}
