import SelfieAPI

/// Passes a table of both databases, a page at a time, in the order of their keys.
struct TableWalk {
  private let table: MovedTable
  private let source: ApplicationDatabase
  private let target: ApplicationDatabase
  private var last: RowKey?

  init(_ table: MovedTable, from source: ApplicationDatabase, to target: ApplicationDatabase) {
    self.table = table
    self.source = source
    self.target = target
  }

  /// A page of the source, and what the target has up to its end. Nil behind the last one.
  ///
  /// - Throws: `MoveError.otherData` if the target has rows behind the last one of the source.
  mutating func next() async throws -> TablePage? {
    let (rows, copies) = (
      try await table.rows(of: source, after: last), try await table.rows(of: target, after: last)
    )
    guard let end = rows.last?.key else {
      guard copies.isEmpty else { throw MoveError.otherData(table: table.name) }
      return nil
    }
    // A page of the target is as long as one of the source, and so reaches the same end unless it has other rows.
    defer { last = end }
    return TablePage(table: table, previous: last, source: rows, target: Array(copies.prefix { $0.key <= end }))
  }
}

/// Some rows of a table, in the order of their keys.
struct TablePage {
  let table: MovedTable
  /// The key before the page; nil if it is the first.
  let previous: RowKey?
  let source: [MovedRow]
  let target: [MovedRow]

  /// The rows that the target does not have yet.
  ///
  /// - Throws: `MoveError.otherData` if the target has a row that the source does not have in the same form.
  func missing(without skipped: SkippedRows) throws -> [MovedRow] {
    var copies = Dictionary(target.map { ($0.key, $0) }) { first, _ in first }
    var missing: [MovedRow] = []
    for row in source where !skipped.contains(row, of: table) {
      if let copy = copies.removeValue(forKey: row.key) {
        guard row.isEqual(to: copy) else { throw MoveError.otherData(table: table.name) }
      } else {
        missing.append(row)
      }
    }
    guard copies.isEmpty else { throw MoveError.otherData(table: table.name) }
    return missing
  }
}
