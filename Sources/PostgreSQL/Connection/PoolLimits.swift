import Platform

/// The limits of a database's connections. Times are in milliseconds.
struct PoolLimits: Sendable {
  /// How many connections an event loop keeps. Each is a process of the server, and thus one of its processors.
  var maxConnections = 2
  /// How many connections block a thread each, for what is not read on an event loop.
  var maxBlocking = 8
  /// How many reads may be in flight on a connection. More do not make it faster.
  var maxInFlight = 64
  /// How many reads are sent as one. Of more, each costs hardly less.
  var maxShared = 16
  /// How many reads of an event loop, or others, may wait for a connection. Further ones fail at once.
  var maxWaiting = 1000
  /// How long one may wait for a connection.
  var maxWait: Int64 = 5000
  /// How long the server may be silent while it owes a response: longer than its own timeout of statements.
  var responseTimeout: Int64 = 10_000
  /// How long it may take to find out whether a transaction was committed whose connection was lost.
  var maxSettlingTime: Int64 = 5000
  var backoff = Backoff(base: 100, maxDelay: 10_000)
}
