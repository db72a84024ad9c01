/// The connections of a ``SharedDatabase``, and its counts since the start. A database in a file has its counts in
/// `Database` in SQLite.
package struct SharedDatabaseStatistics: Sendable {
  package var connections = 0
  /// Round trips that were begun and are not answered.
  package var inFlight = 0
  /// Round trips that wait for a connection.
  package var waiting = 0
  /// Connections that ended, or could not be made.
  package var failedConnections = 0
  /// Writes whose connection was lost before their commit was seen.
  package var lostOutcomes = 0
  /// Lost outcomes that could not be found out.
  package var unknownOutcomes = 0

  package init() {}
}
