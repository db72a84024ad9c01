import HTTPMessages

// How answers are sent that are not sent whole.
extension Connection {
  func deliver(head: [UInt8], body: Response.Body, for exchange: RequestState, as delivery: TransportFault) {
    switch delivery {
    case .dropped:
      socket.reset()
      close()
    case .truncated(let count):
      exchange.keepsAlive = false
      send(head: head, body: body.part(from: 0, count: count))
    case .throttled(let piece, let pause):
      let drip = ThrottledBody(body, piece: piece, pause: pause)
      exchange.drip = drip
      send(head: head, body: drip.take(all: context.isDraining))
    case .malformed(let head):
      exchange.keepsAlive = false
      send(head: head, body: body)
    }
  }

  /// Waits before the next piece. The deadlines of connections are too coarse for that; nor is this a
  /// time that the client has to meet.
  func pause(_ drip: ThrottledBody, in exchange: RequestState) {
    phase = .pausing
    context.clearDeadline(of: self)
    let bound = LoopBound(self, loop: context.loop)
    let pause = drip.pause
    // Who closes the connection cancels it.
    exchange.task = Task.immediate(executorPreference: context.loop) {
      try? await Task.sleep(for: .milliseconds(pause))
      bound.value.dripAfterPause()
    }
  }

  private func dripAfterPause() {
    // Otherwise the connection has closed.
    if phase == .pausing && !Task.isCancelled { drip() }
  }

  /// Sends the next piece; everything that is left when the server is about to stop.
  func drip() {
    guard let exchange, let drip = exchange.drip else { return close() }
    exchange.task?.cancel()
    send(head: [], body: drip.take(all: context.isDraining))
  }
}
