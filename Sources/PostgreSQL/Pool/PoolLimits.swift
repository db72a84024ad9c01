/// The limits of a ``ConnectionPool``. Times are in milliseconds.
public struct PoolLimits: Sendable {
  /// How many connections it keeps. Each is a process of the server, and thus one of its processors.
  public var maxConnections = 2
  /// How many batches may be in flight on a connection. More do not make it faster.
  public var maxInFlight = 64
  /// How many batches are sent as one. Of more, each costs hardly less.
  public var maxShared = 16
  /// How many batches may wait for a connection. Further ones fail at once.
  public var maxWaiting = 1000
  /// How long a batch may wait for a connection.
  public var maxWait: Int64 = 5000
  /// How long connecting may take.
  public var connectTimeout: Int64 = 5000
  /// How long the server may be silent while it owes a response: longer than its own timeout of statements.
  public var responseTimeout: Int64 = 10_000
  public var backoff = Backoff()

  public init() {}
}
