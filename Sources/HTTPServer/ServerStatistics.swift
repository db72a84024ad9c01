import Synchronization

/// A server's counts since its start, of all of its event loops. `RequestCounts` in SelfieServer counts requests by
/// route and status.
package struct ServerStatistics: Sendable {
  package enum Counter: Int, CaseIterable, Sendable {
    case accepted
    /// Connections for which there was no room.
    case refused
    /// Without the bytes that TLS adds.
    case receivedBytes, sentBytes
    case fullHandshakes12, fullHandshakes13
    /// Without a signature, because the client has taken part in a full one.
    case resumedHandshakes12, resumedHandshakes13
    /// Of clients that sent something.
    case failedHandshakes
  }

  let loops: [LoopCounters]

  package subscript(counter: Counter) -> Int { loops.reduce(0) { $0 + $1[counter] } }

  /// The number of connections in a state now.
  package subscript(state: ConnectionState) -> Int { loops.reduce(0) { $0 + $1[state] } }

  /// Requests whose response is not sent.
  package var activeRequests: Int { self[.receivingBody] + self[.handling] + self[.sending] }
}

/// A connection's current work, for the metrics.
package enum ConnectionState: Int, CaseIterable, Sendable {
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

/// The counters of one event loop. The loop's thread counts, and any thread reads.
///
/// Only one thread writes, so counting is a load and a store of the processor, neither a lock nor an atomic addition.
/// No thread waits for a counter, so relaxed ordering is enough: a reader may see one counter before another.
final class LoopCounters: Sendable {
  private final class Count: Sendable {
    let value = Atomic(0)
    /// Keeps counts that another thread writes out of this one's cache line of 64 bytes.
    private let padding = InlineArray<6, Int>(repeating: 0)
  }

  private let counts = ServerStatistics.Counter.allCases.map { _ in Count() }
  private let states = ConnectionState.allCases.map { _ in Count() }

  /// Must be called on the loop's thread.
  func add(_ amount: Int = 1, to counter: ServerStatistics.Counter) {
    add(amount, to: counts[counter.rawValue])
  }

  /// Counts a connection that changes its state. Nil stands for a connection that is not there yet, or not any more.
  /// Must be called on the loop's thread.
  func move(from old: ConnectionState?, to new: ConnectionState?) {
    if let old { add(-1, to: states[old.rawValue]) }
    if let new { add(1, to: states[new.rawValue]) }
  }

  subscript(counter: ServerStatistics.Counter) -> Int {
    counts[counter.rawValue].value.load(ordering: .relaxed)
  }

  /// The number of connections in a state.
  subscript(state: ConnectionState) -> Int { states[state.rawValue].value.load(ordering: .relaxed) }

  private func add(_ amount: Int, to count: Count) {
    count.value.store(count.value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }
}
