/// A database that several processes share: a value of closures, so that who uses it needs no library of a database.
///
/// Each closure returns on the executor of its caller.
public struct SharedDatabase: Sendable {
  /// Runs queries that change nothing, in one round trip. Each has a snapshot of its own.
  public let read: @Sendable (_ queries: [Query]) async throws -> [Rows]
  /// Runs queries in one transaction, in one round trip, and returns after the commit.
  ///
  /// If the connection is lost before the commit is seen, `evidence` finds out what became of it: a query whose rows
  /// are there exactly if the transaction was committed. Without one, the queries are those that may be run twice.
  /// Where it cannot be found out, the error is ``SharedDatabaseError/Kind/outcomeUnknown``.
  public let write: @Sendable (_ queries: [Query], _ evidence: Query?) async throws -> WriteOutcome
  public let statistics: @Sendable () -> SharedDatabaseStatistics
  /// Ends what the value itself has started. Event loops close their own connections.
  public let close: @Sendable () -> Void

  public init(
    read: @escaping @Sendable (_ queries: [Query]) async throws -> [Rows],
    write: @escaping @Sendable (_ queries: [Query], _ evidence: Query?) async throws -> WriteOutcome,
    statistics: @escaping @Sendable () -> SharedDatabaseStatistics, close: @escaping @Sendable () -> Void
  ) {
    self.read = read
    self.write = write
    self.statistics = statistics
    self.close = close
  }
}

/// How a transaction of a ``SharedDatabase`` was committed.
public enum WriteOutcome: Sendable {
  /// The rows of each query.
  case committed([Rows])
  /// The same of a transaction without evidence that was run again. Nobody knows whether the first one was committed,
  /// too.
  case repeated([Rows])
  /// The commit was not seen, but the evidence of it was found. The rows are those of the evidence.
  case found(Rows)

  /// The rows of each query; of the evidence if only that was found.
  public var rows: [Rows] {
    switch self {
    case .committed(let rows), .repeated(let rows): rows
    case .found(let rows): [rows]
    }
  }
}
