package import SQL

/// A record of a table that gives its rows ids. The stores, such as `NoteStore`, have the insertions, and
/// RowIDs+PostgreSQL.swift the last id of a table.
package protocol NumberedRecord: RowRecord {
  /// 0 until the record has a row.
  var id: Int64 { get }
  /// Inserts the record with the value of `idOrNext`, and returns a row with the id.
  var insertion: Query { get }
}

extension NumberedRecord {
  /// The id; NULL for the table's next one.
  var idOrNext: Value { id == 0 ? .null : .integer(id) }
}

extension Transaction {
  /// - Returns: the record's id.
  /// - Throws: `Refusal.accountExists` if another account has the email address or the name. Only the insertions of
  ///   accounts return no row.
  @discardableResult
  package func insert(_ record: some NumberedRecord) throws -> Int64 {
    guard let id = try first(record.insertion, as: Int64.self) else { throw Refusal.accountExists }
    return id
  }

  /// Inserts records that have ids before those that get new ones, so that no new id takes the place of another's.
  package func insert(_ records: [some NumberedRecord]) throws {
    try run(records.filter { $0.id != 0 }.map(\.insertion))
    try run(records.filter { $0.id == 0 }.map(\.insertion))
  }
}
