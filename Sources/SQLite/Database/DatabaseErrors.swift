/// More writes are waiting than the queue holds: try again later.
public struct DatabaseBusy: Error, Sendable, CustomStringConvertible {
  /// Says how many are waiting.
  public var description: String { "\(Database.maxWaitingWrites) writes are waiting already" }
}

/// The database was closed before this use of it.
public struct DatabaseClosed: Error, Sendable, CustomStringConvertible {
  /// Says just that.
  public var description: String { "the database is closed" }
}
