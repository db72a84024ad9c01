/// Some rows of a table on both sides, in the order of their keys.
struct TablePage {
  let table: MovedTable
  let source: [MovedRow]
  /// The rows that the target has up to the end of the source's.
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
      guard row.bytes == copy.bytes else { throw OperationError.otherRows(in: table) }
      return false
    }
    guard copies.isEmpty else { throw OperationError.otherRows(in: table) }
    return missing
  }
}

extension OperationError {
  static func otherRows(in table: MovedTable) -> OperationError {
    OperationError(
      """
      The target has other rows in \(table.name) than the source. Either it has data of its own, or a server has changed \
      one of the two since an earlier run: stop all servers, empty the target, and move again.
      """)
  }
}
