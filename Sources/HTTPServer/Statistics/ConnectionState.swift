/// What a connection is doing.
public enum ConnectionState: Int, CaseIterable, Sendable {
  /// Agreeing on TLS.
  case handshaking
  /// Waiting for a request.
  case idle
  /// The beginning of a request's head has arrived.
  case receivingHead
  /// The handler waits for the request's body.
  case receivingBody
  /// The handler is at work.
  case handling
  case sending
  /// The last response was sent; the client may still be reading it.
  case closing

  /// Whether no response is owed to the client.
  var isWithoutRequest: Bool {
    switch self {
    case .handshaking, .idle, .receivingHead, .closing: true
    case .receivingBody, .handling, .sending: false
    }
  }
}
