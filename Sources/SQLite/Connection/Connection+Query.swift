import SQL

// Overloads that take a `Query`.
extension Connection: Transaction {
  /// Runs a statement; rows are passed over.
  ///
  /// - Returns: how many rows it has inserted, updated or deleted.
  @discardableResult
  public func run(_ query: Query) throws(SQLiteError) -> Int64 {
    try run(query.sql, values: query.values)
    return changes
  }

  /// Calls `row` for each row. To run a statement again inside its own rows throws `SQLITE_MISUSE`.
  @inlinable
  public func forEach(_ query: Query, row: (borrowing Row) throws -> Void) throws {
    try forEach(query.sql, values: query.values) {
      try row($0)
      return true
    }
  }

  /// Calls `row` for each row until it returns false.
  @inlinable
  public func forEach(_ query: Query, while row: (borrowing Row) throws -> Bool) throws {
    try forEach(query.sql, values: query.values, row: row)
  }

  /// The results of `row` for each row.
  @inlinable
  public func query<T>(_ query: Query, row: (borrowing Row) throws -> T) throws -> [T] {
    var results: [T] = []
    try forEach(query) { results.append(try row($0)) }
    return results
  }

  /// The result of `row` for the first row; nil if there is none.
  @inlinable
  public func first<T>(_ query: Query, row: (borrowing Row) throws -> T) throws -> T? {
    var result: T?
    try forEach(query.sql, values: query.values) {
      result = try row($0)
      return false
    }
    return result
  }

  /// All rows of a statement, which runs to its end. Not for long lists.
  public func rows(_ query: Query) throws(SQLiteError) -> Rows {
    try statement(query.sql).rows(query.values)
  }
}
