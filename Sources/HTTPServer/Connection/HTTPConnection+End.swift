import HTTPMessages

// How a connection ends after its last response, in stages (RFC 9112 §9.6). HTTPConnection+Response.swift sends that
// response.
//
// If bytes arrive at a closed socket, the kernel sends a reset, and the client may lose a response that it has not read
// yet. A client that is still sending may also look at the end of the connection before it looks at the response. So the
// rest of a request is read and thrown away first, then the sending side is closed, and then the socket.
extension HTTPConnection {
  /// The server is about to stop.
  func drain() {
    switch phase {
    // Its first request is on its way, or the rest of a head. Later requests get an error on a connection that has closed,
    // and clients repeat them on a new one.
    case .handshaking: table.setDeadline(of: self, after: limits.firstRequestTimeout)
    case .idle where !reader.isEmpty || requestCount == 0:
      table.setDeadline(of: self, after: limits.firstRequestTimeout)
    case .idle: closeUnlessRequested()
    default: break
    }
  }

  /// Closes an idle connection, unless a request has arrived that no event has reported yet.
  func closeUnlessRequested() {
    let answered = requestCount
    socket.isReadable = true
    serve()
    guard isIdle && reader.isEmpty && requestCount == answered else { return }
    socket.tls?.sendCloseNotify()
    close()
  }

  /// Whether the connection may be closed because others need its slot: the client has sent no request that has not been
  /// answered, or is slow to send the rest of one or to read the response.
  ///
  /// - Parameter isOfMany: whether its network has so many connections that slow ones must go at once.
  func mayGiveWay(isOfMany: Bool) -> Bool {
    guard !isOverCapacity else { return false }
    return isWithoutRequest
      ? !(isIdle && isToBeResumed) : delay >= (isOfMany ? 1 : limits.shortageDelay)
  }

  var isWithoutRequest: Bool { countedState?.isWithoutRequest == true }

  func giveWay(isOfMany: Bool) {
    let answered = requestCount
    if isIdle && reader.isEmpty { closeUnlessRequested() }
    // No request has arrived, or only a part of one.
    if mayGiveWay(isOfMany: isOfMany) && requestCount == answered { close() }
  }

  func end(after request: RequestState) {
    let mayBeSending = !request.body.isFinished || request.mustLinger
    guard mayBeSending else {
      if !reader.isEmpty || socket.hasUnreadBytes { return awaitClose() }
      socket.tls?.sendCloseNotify()
      return close()
    }
    let timeout = request.body.isFinished ? limits.unframedEndingTimeout : limits.endingTimeout
    guard timeout > 0, table.beginEnding() else { return awaitClose() }
    phase = .ending(request)
    // Events of this turn may not have been handled yet.
    socket.isReadable = true
    table.setDeadline(of: self, after: timeout)
    discard()
  }

  /// Closes the sending side, and the connection once the client has closed its own.
  func awaitClose() {
    if case .ending = phase { table.finishEnding() }
    socket.endWriting()
    phase = .lingering(until: table.now &+ limits.lingerTimeout)
    socket.isReadable = true
    discard()
  }

  /// Reads and throws away: the rest of a body, or whatever arrives while the connection ends.
  func discard() {
    if let request = phase.request, !request.body.isFinished { return discardBody(of: request) }
    reader.drop()
    var bytesInTurn = 0
    for _ in 0..<Self.maxReads where socket.isReadable && bytesInTurn < Self.maxBytesReadInTurn {
      switch socket.discard() {
      case .moved(let count):
        guard reader.mayDiscard(count) else { return close() }
        bytesInTurn += count
      case .wouldBlock: break
      case .end, .failed: return close()
      }
    }
    if socket.isReadable { table.resumeLater(self) }
    guard case .lingering(let end) = phase else { return }
    let left = end &- table.now
    guard left > 0 else { return close() }
    table.setDeadline(of: self, after: min(left, limits.lingerPauseTimeout))
  }

  private func discardBody(of request: RequestState) {
    request.beginTurn()
    for _ in 0..<Self.maxReads where request.bytesInTurn < Self.maxBytesReadInTurn {
      switch reader.nextChunk(of: request) {
      case .success(let chunk?)?:
        guard reader.mayDiscard(chunk.count) else { return awaitClose() }
      case .success(nil)?: return bodyDiscarded()
      case .failure(.malformed)?: return awaitClose()
      case .failure?: return close()
      case nil: return
      }
    }
    if request.body.isFinished { bodyDiscarded() } else { table.resumeLater(self) }
  }

  private func bodyDiscarded() {
    if case .ending = phase { awaitClose() } else { awaitRequest() }
  }
}
