import HTTPMessages

// How a connection agrees on TLS with its client, before the first request. `TLSSession` has the calls to libssl.
//
// libssl begins only when the client's first bytes are known to be a handshake of a reasonable size, and only when it is
// the client's turn: a handshake takes as long as several responses.
extension HTTPConnection {
  /// The header of a TLS record and of the handshake message in it (RFC 8446 §5.1, §4).
  private static let helloHeaderLength = 9

  func startHandshake(_ context: TLSContext) {
    phase = .handshaking(context)
    table.setDeadline(of: self, after: limits.handshakeTimeout)
    table.handshakes.begin(self)?.close()
  }

  /// Goes on with the handshake, when it is the client's turn.
  func continueHandshake(_ context: TLSContext) {
    guard socket.tls != nil || beginTLS(context), let tls = socket.tls else { return }
    switch tls.handshake() {
    case .moved:
      socket.countHandshake()
      countTLS(TLSSession.idleBytes)
      finishHandshake()
    // The next event says that bytes have arrived.
    case .wouldBlock:
      socket.isReadable = false
      if tls.awaitsSecondHello { countTLS(TLSSession.secondHelloBytes) }
    case .end, .failed: close()
    }
  }

  /// Starts libssl once the beginning of a ClientHello has arrived.
  private func beginTLS(_ context: TLSContext) -> Bool {
    let start = socket.peek(Self.helloHeaderLength)
    guard let first = start.first else {
      socket.isReadable = false
      if socket.isPeerClosed { close() }
      return false
    }
    if first >= UInt8(ascii: "A") && first <= UInt8(ascii: "Z") {
      counters.add(to: .failedHandshakes)
      refusePlainHTTP()
      return false
    }
    if first == Self.handshakeRecord && start.count < Self.helloHeaderLength && !socket.isPeerClosed {
      socket.isReadable = false
      return false
    }
    guard Self.isHello(start, max: limits.maxClientHello), socket.startTLS(context) else {
      counters.add(to: .failedHandshakes)
      close()
      return false
    }
    countTLS(TLSSession.handshakeBytes)
    return true
  }

  private static let handshakeRecord: UInt8 = 22

  /// Whether these are the first bytes of a ClientHello that is no larger than `max`. libssl would set aside as much
  /// memory as the client announces.
  private static func isHello(_ start: [UInt8], max: Int) -> Bool {
    guard start.count == helloHeaderLength, start[0] == handshakeRecord, start[1] == 3, start[5] == 1 else {
      return false
    }
    return start[6...8].reduce(0) { $0 << 8 | Int($1) } <= max
  }

  private func refusePlainHTTP() {
    finishHandshake()
    refuse(
      RequestError(
        status: .badRequest,
        message: "This port speaks HTTPS. Send the request to an address that begins with https://."))
  }

  private func finishHandshake() {
    table.handshakes.finish(self)
    phase = .idle(headStart: nil)
    idleSince = table.now
    table.setDeadline(of: self, after: table.isDraining ? limits.firstRequestTimeout : limits.idleTimeout)
  }
}
