/// The connections of a ``SharedDatabase``, and its counts since the start.
public struct SharedDatabaseStatistics: Sendable {
  public var connections = 0
  /// Round trips that were begun and are not answered.
  public var inFlight = 0
  /// Round trips that wait for a connection.
  public var waiting = 0
  /// Connections that ended, or could not be made.
  public var failedConnections = 0
  /// Writes whose connection was lost before their commit was seen.
  public var lostOutcomes = 0
  /// Lost outcomes that could not be found out.
  public var unknownOutcomes = 0

  package init() {}
}
