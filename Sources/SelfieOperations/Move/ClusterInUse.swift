import SQL
import SelfieAPI

/// Other processes are connected to the database of a cluster in which nobody else may change anything.
public struct ClusterInUse: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of each, and where it is.
  let processes: [String]

  public var description: String {
    """
    Others use the cluster: \(processes.joined(separator: ", ")). So the names of their connections begin in \
    pg_stat_activity. Stop all servers, and run this again. A PgBouncer keeps the connections of a server that has \
    ended for some minutes; RECONNECT on its console closes them.
    """
  }
}

extension SharedDatabase {
  /// A server that has ended leaves its connections for as long as PostgreSQL takes to notice that.
  private static let looks = 40
  private static let pause = Duration.milliseconds(50)

  /// - Throws: `ClusterInUse` if another process of this program has a connection.
  package func requireNoOtherProcess() async throws {
    var processes: [TextPair] = []
    for look in 1...Self.looks {
      processes = try await rows(ClusterQueries.otherProcesses).map { TextPair($0, from: 0) }
      if processes.isEmpty { return }
      if look < Self.looks { try await Task.sleep(for: Self.pause) }
    }
    throw ClusterInUse(processes: processes.map { "\($0.first) from \($0.second)" })
  }
}
