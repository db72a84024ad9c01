import Platform

/// A database on a server, which several processes share.
public protocol SharedDatabase: Sendable {
  /// The rows of a query that changes nothing, in one round trip.
  func read(_ query: Query) async throws -> Rows

  /// Runs `body` in a transaction, and returns once that is committed.
  ///
  /// `body` may be run again, on another thread, so it must have no effect but by its transaction. An error of it undoes
  /// the transaction.
  ///
  /// - Parameter locks: select the rows that are locked first, so that `body` sees what their earlier holders have
  ///   committed.
  /// - Throws: ``SharedDatabaseError``, or the error of `body`.
  func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result

  /// Forgets the commits of long ago. To be called now and then.
  func prune() async throws

  /// Makes the calling thread's own connections, for an event loop. The loop closes them.
  func makeLoopService() throws -> any LoopService

  var statistics: SharedDatabaseStatistics { get }

  /// Ends what the database itself has started. Blocks until then.
  func close()
}
