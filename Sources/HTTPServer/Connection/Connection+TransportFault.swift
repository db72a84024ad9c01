import HTTPMessages

// How transport faults are simulated.
extension Connection {
  func send(head: [UInt8], body: Response.Body, for request: RequestState, with fault: TransportFault) {
    request.hasTransportFault = true
    switch fault {
    case .dropped:
      socket.reset()
      close()
    case .truncated(let count):
      request.keepsAlive = false
      send(head: head, body: body.part(from: 0, count: count))
    case .throttled(let piece, let pause):
      let throttled = ThrottledBody(body, piece: piece, pause: pause)
      request.throttledBody = throttled
      send(head: head, body: throttled.take(all: table.isDraining))
    case .malformed(let head):
      request.keepsAlive = false
      send(head: head, body: body)
    }
  }

  /// Waits before the next piece is sent. The pause may be shorter than the resolution of the connections' deadlines,
  /// and the client has no time limit meanwhile.
  func pause(_ body: ThrottledBody, in request: RequestState) {
    phase = .pausing
    table.clearDeadline(of: self)
    let bound = LoopBound(self, loop: table.loop)
    let pause = body.pause
    // Closing the connection cancels the task.
    request.task = Task.immediate(executorPreference: table.loop) {
      try? await Task.sleep(for: .milliseconds(pause))
      bound.value.pauseEnded()
    }
  }

  private func pauseEnded() {
    // Otherwise the connection was closed meanwhile.
    if phase == .pausing && !Task.isCancelled { sendNextPiece() }
  }

  /// Sends the next piece of a throttled body, or all the rest if the server is about to stop.
  func sendNextPiece() {
    guard let request, let body = request.throttledBody else { return close() }
    request.task?.cancel()
    send(head: [], body: body.take(all: table.isDraining))
  }
}
