import SQL

/// The same as with a statement and its values by themselves.
extension Connection {
  /// Runs a statement; rows are passed over.
  @inlinable
  public func run(_ query: Query) throws(SQLiteError) {
    try run(query.sql, values: query.values)
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
