/// A transaction that writes: what its statements change is committed together, or not at all. `Writer` in SQLite and
/// PostgreSQLDatabase+Blocking.swift in PostgreSQL commit it.
///
/// The rules of a write are written in Swift between its statements. Stores add theirs as extensions.
package protocol Transaction {
  /// All rows of a statement, which runs to its end. Not for long lists.
  func rows(_ query: Query) throws -> Rows

  /// Runs a statement.
  ///
  /// - Returns: how many rows it has inserted, updated or deleted.
  @discardableResult
  func run(_ query: Query) throws -> Int64

  /// Runs statements in their order. On a server they need not wait for each other, nor the transaction for them: the error
  /// of one may be that of a later statement or of the commit.
  func run(_ queries: [Query]) throws
}

extension Transaction {
  package func run(_ queries: [Query]) throws {
    for query in queries { try run(query) }
  }

  /// The first row of a query; nil if there is none.
  package func first<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) throws -> Record? {
    try rows(query).first.map { Record($0) }
  }

  /// The number in the first row of a query; 0 if there is none.
  package func number(_ query: Query) throws -> Int64 {
    try first(query, as: Int64.self) ?? 0
  }

  /// Whether a query has rows.
  package func exists(_ query: Query) throws -> Bool {
    try !rows(query).isEmpty
  }
}
