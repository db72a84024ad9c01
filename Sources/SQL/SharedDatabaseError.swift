/// Why a query of a ``SharedDatabase`` has no result. An error of a database in a file is an `SQLiteError` in SQLite.
package struct SharedDatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, as far as a caller can do something about it.
  package enum Kind: Sendable, Equatable {
    /// Another transaction was in the way, such as one that has kept a lock for too long, or the server has no memory
    /// left. Nothing was changed, and the same query may succeed later.
    case conflict
    /// The server has stopped the statement because it took too long. Nothing was changed.
    case timeout
    /// There is no connection, it broke, or the server is shutting down. Nothing was changed.
    case away
    /// The connection broke after the query was sent. The query may have been committed.
    case outcomeUnknown
    /// The server's disk is full, or the server is at another limit of its resources.
    case full
    /// A text holds U+0000, which the database cannot store. The query was not sent.
    case nulInText
    /// A mistake in the program, such as wrong SQL, or a row with a key that is there already.
    case bug
  }

  package let kind: Kind
  /// The five characters of the error's code (postgresql.org/docs/15/errcodes-appendix.html); nil if the server sent
  /// none.
  package let sqlState: String?
  /// Describes the failure, in English and without the values of parameters, for the log.
  package let message: String

  package init(_ kind: Kind, sqlState: String? = nil, _ message: String) {
    self.kind = kind
    self.sqlState = sqlState
    self.message = message
  }

  /// The message, and the code.
  package var description: String {
    sqlState.map { "PostgreSQL error \($0): \(message)" } ?? "PostgreSQL: \(message)"
  }
}
