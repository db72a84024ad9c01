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
    case .idle where input != nil || requestCount == 0:
      table.setDeadline(of: self, after: limits.firstRequestTimeout)
    case .idle: closeUnlessRequested()
    default: break
    }
  }

  /// Closes an idle connection, unless a request has arrived that no event has reported yet.
  func closeUnlessRequested() {
    let answered = requestCount
    isReadable = true
    serve()
    guard phase == .idle && input == nil && requestCount == answered else { return }
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
      ? !(phase == .idle && isToBeResumed) : delay >= (isOfMany ? limits.shortageDelay / 8 : limits.shortageDelay)
  }

  var isWithoutRequest: Bool { countedState?.isWithoutRequest == true }

  func giveWay(isOfMany: Bool) {
    let answered = requestCount
    if phase == .idle && input == nil { closeUnlessRequested() }
    // No request has arrived, or only a part of one.
    if mayGiveWay(isOfMany: isOfMany) && requestCount == answered { close() }
  }

  func end(after request: RequestState) {
    let mayBeSending = !request.body.isFinished || request.mustLinger
    guard mayBeSending else {
      if input != nil || socket.hasUnreadBytes { return awaitClose() }
      socket.tls?.sendCloseNotify()
      return close()
    }
    let timeout = request.body.isFinished ? limits.unframedEndingTimeout : limits.endingTimeout
    guard timeout > 0, table.beginEnding() else { return awaitClose() }
    phase = .ending
    // Events of this turn may not have been handled yet.
    isReadable = true
    table.setDeadline(of: self, after: timeout)
    discard()
  }

  /// Closes the sending side, and the connection once the client has closed its own.
  func awaitClose() {
    if phase == .ending { table.finishEnding() }
    socket.endWriting()
    request = nil
    phase = .lingering
    isReadable = true
    lingerEnd = table.now &+ limits.lingerTimeout
    discard()
  }

  /// Reads and throws away: the rest of a body, or whatever arrives while the connection ends.
  func discard() {
    if let request, !request.body.isFinished { return discardBody(of: request) }
    input = nil
    var bytesInTurn = 0
    for _ in 0..<Self.maxReads where isReadable && bytesInTurn < Self.maxBytesReadInTurn {
      switch socket.discard() {
      case .moved(let count):
        guard mayDiscard(count) else { return close() }
        bytesInTurn += count
      case .wouldBlock: isReadable = false
      case .end, .failed: return close()
      }
    }
    if isReadable { table.resumeLater(self) }
    guard phase == .lingering else { return }
    let left = lingerEnd &- table.now
    guard left > 0 else { return close() }
    table.setDeadline(of: self, after: min(left, limits.lingerPauseTimeout))
  }

  private func discardBody(of request: RequestState) {
    request.bytesInTurn = 0
    for _ in 0..<Self.maxReads where request.bytesInTurn < Self.maxBytesReadInTurn {
      switch readBody(request) {
      case .success(let chunk?)?:
        guard mayDiscard(chunk.count) else { return awaitClose() }
      case .success(nil)?: return bodyDiscarded()
      case .failure(.malformed)?: return awaitClose()
      case .failure?: return close()
      case nil: return
      }
    }
    if request.body.isFinished { bodyDiscarded() } else { table.resumeLater(self) }
  }

  private func bodyDiscarded() {
    if phase == .ending { awaitClose() } else { awaitRequest() }
  }

  private func mayDiscard(_ count: Int) -> Bool {
    discardedBytes &+= count
    return discardedBytes <= limits.maxEndingBytes
  }
}
