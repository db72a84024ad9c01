import SQL
import SelfieAPI

// Waits until no other process uses a cluster's database. `ClusterQueries` in SelfieAPI has the query.
extension SharedDatabase {
  /// - Throws: `OperationError` if another process of this program has a connection.
  package func requireNoOtherProcess() async throws {
    // A server that has ended leaves its connections for as long as PostgreSQL takes to notice that.
    let maxChecks = 40
    var processes: [String] = []
    for check in 1...maxChecks {
      processes = try await read(ClusterQueries.otherProcesses).map { String($0) }
      if processes.isEmpty { return }
      if check < maxChecks { try await Task.sleep(for: .milliseconds(50)) }
    }
    throw OperationError(
      """
      Other processes use the cluster: \(processes.joined(separator: ", ")). \
      Find them in pg_stat_activity by these application names. Stop all servers, and run the command again. A \
      PgBouncer keeps the connections of a stopped server for some minutes; RECONNECT on its console closes them.
      """)
  }
}
