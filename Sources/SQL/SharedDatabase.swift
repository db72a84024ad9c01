package import Platform

/// A database on a server, which several processes share. A database in a file is a `Database` in SQLite.
package protocol SharedDatabase: Sendable {
  /// Runs `body` on the rows of a query that changes nothing. Both block a thread of the database, so that only as many
  /// results as it has threads are in memory at once. Clients take turns.
  func read<Result: Sendable>(
    _ query: Query, flow: Flow, _ body: @escaping @Sendable (Rows) throws -> Result
  ) async throws -> Result

  /// Runs `body` in a transaction, and returns once that is committed.
  ///
  /// `body` may be run again, on another thread, so it must have no effect but by its transaction. An error of it undoes
  /// the transaction.
  ///
  /// - Parameters:
  ///   - locks: select the rows that are locked first, so that `body` sees what their earlier holders have committed.
  ///   - flow: whose writes take turns with those of others.
  /// - Throws: ``SharedDatabaseError``, or the error of `body`.
  func write<Result: Sendable>(
    locking locks: [Query], flow: Flow, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result

  /// Forgets the commits of long ago. To be called now and then.
  func prune() async throws

  var statistics: SharedDatabaseStatistics { get }

  /// Ends what the database itself has started. Blocks until then.
  func close()
}

extension SharedDatabase {
  /// The rows of a query that changes nothing.
  package func read(_ query: Query) async throws -> Rows { try await read(query, flow: Flow()) { $0 } }

  /// A write that is nobody's in particular.
  @discardableResult
  package func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await write(locking: locks, flow: Flow(kind: 2), body)
  }
}
