import HTTPMessages

// How a connection agrees on TLS with its client, before the first request. `TLSSession` has the calls to libssl.
//
// libssl begins only when the client's first bytes are known to be a handshake of a reasonable size, and only when it is
// the client's turn: a handshake takes as long as several responses.
extension HTTPConnection {
  /// The header of a TLS record and of the handshake message in it (RFC 8446 §5.1, §4).
  private static let helloHeaderLength = 9

  func startHandshake() {
    phase = .handshaking
    table.setDeadline(of: self, after: limits.handshakeTimeout)
    table.handshakes[network, default: []].append(self)
    table.handshakeCount += 1
    // If there are too many, the oldest one of the network that has most gives way: an honest client needs a few round
    // trips, and is done before it is the oldest.
    guard table.handshakeCount > limits.maxHandshakes else { return }
    table.handshakes.values.max { $0.count < $1.count }?.first?.close()
  }

  func forgetHandshake() {
    guard let index = table.handshakes[network]?.firstIndex(where: { $0 === self }) else { return }
    table.handshakes[network]?.remove(at: index)
    if table.handshakes[network]?.isEmpty == true { table.handshakes[network] = nil }
    table.handshakeCount -= 1
  }

  /// Goes on with the handshake, when it is the client's turn.
  func continueHandshake() {
    guard phase == .handshaking, socket.tls != nil || beginTLS(), let tls = socket.tls else { return }
    switch tls.handshake() {
    case .moved:
      socket.countHandshake()
      countTLS(TLSSession.idleBytes)
      finishHandshake()
      serve()
    // The next event says that bytes have arrived.
    case .wouldBlock:
      isReadable = false
      if tls.awaitsSecondHello { countTLS(TLSSession.secondHelloBytes) }
    case .end, .failed: close()
    }
  }

  /// Starts libssl once the beginning of a ClientHello has arrived.
  private func beginTLS() -> Bool {
    let start = socket.peek(Self.helloHeaderLength)
    guard let first = start.first, let context = tlsContext else {
      isReadable = false
      if isPeerClosed { close() }
      return false
    }
    if first >= UInt8(ascii: "A") && first <= UInt8(ascii: "Z") {
      counters.add(to: .failedHandshakes)
      refusePlainHTTP()
      return false
    }
    if first == Self.handshakeRecord && start.count < Self.helloHeaderLength && !isPeerClosed {
      isReadable = false
      return false
    }
    guard Self.isHello(start, max: limits.maxClientHello), socket.startTLS(context) else {
      counters.add(to: .failedHandshakes)
      close()
      return false
    }
    tlsContext = nil
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
    tlsContext = nil
    finishHandshake()
    refuse(
      RequestError(
        status: .badRequest,
        message: "This port speaks HTTPS. Send the request to an address that begins with https://."))
  }

  private func finishHandshake() {
    forgetHandshake()
    phase = .idle
    idleSince = table.now
    table.setDeadline(of: self, after: table.isDraining ? limits.firstRequestTimeout : limits.idleTimeout)
  }
}
