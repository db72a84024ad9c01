/// The queue of writes is full. The write may be tried again later.
public struct DatabaseBusy: Error, Sendable, CustomStringConvertible {
  /// Says how many are waiting.
  public var description: String { "\(Database.maxWaitingWrites) writes are waiting already" }
}

/// The database had been closed when this read or write began.
public struct DatabaseClosed: Error, Sendable, CustomStringConvertible {
  /// Says just that.
  public var description: String { "the database is closed" }
}
