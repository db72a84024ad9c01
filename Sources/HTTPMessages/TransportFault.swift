/// How an answer is sent when it is not sent whole: as networks that fail and servers that are broken do,
/// for those who test clients.
///
/// Indirect, so that an answer that has none carries a pointer and no more.
public indirect enum TransportFault: Sendable, Equatable {
  /// Not one byte is sent, and the connection is reset (RST), as by a server that crashes.
  case dropped

  /// The head, which tells the length of the whole body, and the first bytes of the body. Then the connection ends,
  /// without a reset (FIN), which could take from the client what it has not read yet. The client knows
  /// by the length that something is missing (RFC 9112 §8).
  case truncated(after: Int64)

  /// The head, and the body in pieces of so many bytes with a pause of so many milliseconds after each but the last.
  /// The connection is kept as after any answer.
  case throttled(piece: Int64, pause: Int64)

  /// These bytes as they are in place of the head, then the body; then the connection ends (FIN).
  case malformed(head: [UInt8])
}
