/// A transport fault to simulate, so that clients can be tested against broken networks and servers.
///
/// Indirect, so that a response without one carries no more than a pointer.
public indirect enum TransportFault: Sendable, Equatable {
  /// Nothing is sent, and the connection is reset (RST), as when a server crashes.
  case dropped

  /// The head, with the length of the whole body, and the first bytes of the body are sent. Then the connection ends
  /// with a FIN: a reset could discard bytes that the client has not read. The client sees by the length that bytes are
  /// missing (RFC 9112 §8).
  case truncated(after: Int64)

  /// The body is sent in pieces of `piece` bytes with a pause of `pause` milliseconds between them. The connection is
  /// kept as after any response.
  case throttled(piece: Int64, pause: Int64)

  /// These bytes replace the head. The body follows, and then the connection ends with a FIN.
  case malformed(head: [UInt8])
}
