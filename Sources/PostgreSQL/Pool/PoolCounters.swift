import SQL
import Synchronization

/// What one pool has counted. The pool's thread counts, and any thread reads.
///
/// Nobody waits for a counter, so relaxed ordering is enough: a reader may see one counter before another.
final class PoolCounters: Sendable {
  private let connections = Atomic(0)
  private let readyConnections = Atomic(0)
  private let inFlight = Atomic(0)
  private let waiting = Atomic(0)
  private let failedConnections = Atomic(0)

  func set(connections: Int, ready: Int, inFlight: Int, waiting: Int) {
    self.connections.store(connections, ordering: .relaxed)
    readyConnections.store(ready, ordering: .relaxed)
    self.inFlight.store(inFlight, ordering: .relaxed)
    self.waiting.store(waiting, ordering: .relaxed)
  }

  func countFailedConnection() {
    failedConnections.add(1, ordering: .relaxed)
  }

  func add(to statistics: inout SharedDatabaseStatistics) {
    statistics.connections += connections.load(ordering: .relaxed)
    statistics.readyConnections += readyConnections.load(ordering: .relaxed)
    statistics.inFlight += inFlight.load(ordering: .relaxed)
    statistics.waiting += waiting.load(ordering: .relaxed)
    statistics.failedConnections += failedConnections.load(ordering: .relaxed)
  }
}
