/// What a server has counted since its start, on all of its event loops.
public struct ServerStatistics: Sendable {
  public struct HandshakeCounts: Sendable, Equatable {
    /// In TLS 1.2 and 1.3.
    public fileprivate(set) var full12 = 0
    public fileprivate(set) var full13 = 0
    /// Without a signature, because the client has taken part in a full one.
    public fileprivate(set) var resumed12 = 0
    public fileprivate(set) var resumed13 = 0
    /// Of clients that sent something.
    public fileprivate(set) var failed = 0
  }

  public private(set) var accepted = 0
  /// Connections for which there was no room.
  public private(set) var refused = 0
  /// Without the bytes that TLS adds.
  public private(set) var receivedBytes = 0
  public private(set) var sentBytes = 0
  public private(set) var handshakes = HandshakeCounts()
  private var states = [Int](repeating: 0, count: ConnectionState.allCases.count)

  init(_ loops: [LoopCounters]) {
    for loop in loops {
      accepted += loop[.accepted]
      refused += loop[.refused]
      receivedBytes += loop[.receivedBytes]
      sentBytes += loop[.sentBytes]
      handshakes.full12 += loop[.fullHandshakes12]
      handshakes.full13 += loop[.fullHandshakes13]
      handshakes.resumed12 += loop[.resumedHandshakes12]
      handshakes.resumed13 += loop[.resumedHandshakes13]
      handshakes.failed += loop[.failedHandshakes]
      for state in ConnectionState.allCases { states[state.rawValue] += loop[state] }
    }
  }

  /// How many connections are in a state now.
  public subscript(state: ConnectionState) -> Int { states[state.rawValue] }

  /// Requests whose response is not sent.
  public var activeRequests: Int { self[.receivingBody] + self[.handling] + self[.sending] }
}
