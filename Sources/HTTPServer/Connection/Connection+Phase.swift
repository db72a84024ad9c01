extension Connection {
  /// What a connection is doing.
  enum Phase {
    /// Agreeing on TLS.
    case handshaking
    /// Waiting for a request, or for the rest of its head.
    case idle
    /// The handler is at work.
    case handling
    case writing
    /// Waiting for the next piece of a streamed body.
    case fetching
    /// Between two pieces of a throttled body.
    case pausing
    /// Reading the rest of a request's body, after the response, to keep the connection usable.
    case discarding
    /// Reading what follows the last response's request, with the sending side still open.
    case ending
    /// The last response was sent and the sending side closed. Reading goes on so that the client can read the response.
    case lingering
    case closed
  }
}
