import SelfieAPI

/// Reads a table of both databases a page at a time, in the order of its keys.
struct TablePager {
  let table: MovedTable
  let source: ApplicationDatabase
  let target: ApplicationDatabase
  var last: RowKey?

  /// A page of the source, and the rows that the target has up to its end. Nil after the last one.
  ///
  /// - Throws: `OperationError` if the target has rows after the last one of the source.
  mutating func next() async throws -> TablePage? {
    let rows = try await table.rows(of: source, after: last)
    let copies = try await table.rows(of: target, after: last)
    guard let end = rows.last?.key else {
      guard copies.isEmpty else { throw OperationError.otherRows(in: table) }
      return nil
    }
    last = end
    // A page of the target is as long as one of the source, and so reaches the same end unless it has other rows.
    return TablePage(table: table, source: rows, target: Array(copies.prefix { $0.key <= end }))
  }
}

/// Some rows of a table, in the order of their keys.
struct TablePage {
  let table: MovedTable
  let source: [MovedRow]
  let target: [MovedRow]

  /// The rows that the target does not have yet.
  ///
  /// - Parameter isSkipped: whether a row stays behind.
  /// - Throws: `OperationError` if the target has a row that the source does not have in the same form.
  func missing(except isSkipped: (MovedRow) -> Bool) throws -> [MovedRow] {
    var copies = Dictionary(target.map { ($0.key, $0) }) { first, _ in first }
    let missing = try source.filter { row in
      if isSkipped(row) { return false }
      guard let copy = copies.removeValue(forKey: row.key) else { return true }
      guard row.isEqual(to: copy) else { throw OperationError.otherRows(in: table) }
      return false
    }
    guard copies.isEmpty else { throw OperationError.otherRows(in: table) }
    return missing
  }
}

extension OperationError {
  fileprivate static func otherRows(in table: MovedTable) -> OperationError {
    OperationError(
      """
      The target has other rows in \(table.name) than the source. Either it has data of its own, or a server has changed \
      one of the two since an earlier run: stop all servers, empty the target, and move again.
      """)
  }
}
