import Glibc

/// The limits of a database's connections. Times are in milliseconds. `PostgreSQLDatabase` keeps to them, and
/// `DatabaseURL` says where the database is.
struct PoolLimits: Sendable {
  /// How many connections read, each for a thread: as many as processors make the responses, and two at least, so that a
  /// read that takes long does not hold up all others.
  var readers = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  /// How many connections write, each for a thread. Most of the time they wait for the server's disk, or for a lock.
  var writers = 8
  /// How many reads are sent as one. Of more, each costs hardly less; and a page of a list may have two megabytes.
  var maxShared = 8
  /// How many reads, and how many writes, may wait for a connection. Further ones fail at once.
  var maxWaiting = 1000
  /// How long one may wait for a connection.
  var maxWait: Int64 = 5000
  /// How long the server may be silent while it owes a response: longer than its own timeout of statements.
  var responseTimeout: Int64 = 10_000
  /// How long it may take to find out whether a transaction was committed whose connection was lost.
  var maxSettlingTime: Int64 = 5000
}
