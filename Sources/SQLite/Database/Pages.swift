package import SQL

extension Connection {
  /// Reads a table a page at a time, so that it need not fit into memory.
  ///
  /// - Parameters:
  ///   - query: reads the rows after an id, in order, some hundred of them at most.
  ///   - id: the id of a row.
  /// - Throws: `DatabaseError.outOfOrder`. In a damaged file, a page may be in the place of another one, and what follows it
  ///   would begin anew for ever.
  package func forEachPage<Record: RowRecord>(
    _ query: (Int64) -> Query, id: (Record) -> Int64, _ body: ([Record]) throws -> Void
  ) throws {
    var last = Int64.min
    while case let page = try self.query(query(last), row: { Record($0) }), let newest = page.last {
      guard id(newest) > last else { throw DatabaseError.outOfOrder }
      try body(page)
      last = id(newest)
    }
  }
}
