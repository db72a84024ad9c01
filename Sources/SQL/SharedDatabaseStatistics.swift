/// What a ``SharedDatabase`` has now, and what it has counted since its start.
public struct SharedDatabaseStatistics: Sendable, Equatable {
  /// Connections that are kept, also those that are being made.
  public var connections = 0
  public var readyConnections = 0
  /// Round trips that were begun and are not answered.
  public var inFlight = 0
  /// Round trips that wait for a connection.
  public var waiting = 0
  /// Connections that ended, or could not be made.
  public var failedConnections = 0
  /// Writes whose connection was lost before their commit was seen.
  public var lostOutcomes = 0
  /// Those of them for which it could not be found out whether they were committed.
  public var unknownOutcomes = 0

  package init(
    connections: Int = 0, readyConnections: Int = 0, inFlight: Int = 0, waiting: Int = 0, failedConnections: Int = 0,
    lostOutcomes: Int = 0, unknownOutcomes: Int = 0
  ) {
    self.connections = connections
    self.readyConnections = readyConnections
    self.inFlight = inFlight
    self.waiting = waiting
    self.failedConnections = failedConnections
    self.lostOutcomes = lostOutcomes
    self.unknownOutcomes = unknownOutcomes
  }

  package static func + (one: Self, other: Self) -> Self {
    SharedDatabaseStatistics(
      connections: one.connections + other.connections,
      readyConnections: one.readyConnections + other.readyConnections, inFlight: one.inFlight + other.inFlight,
      waiting: one.waiting + other.waiting, failedConnections: one.failedConnections + other.failedConnections,
      lostOutcomes: one.lostOutcomes + other.lostOutcomes,
      unknownOutcomes: one.unknownOutcomes + other.unknownOutcomes)
  }
}
