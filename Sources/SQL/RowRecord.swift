/// Can be decoded from a row. A protocol, since a closure cannot be generic over the row and an initializer can.
/// `RowReader` reads single columns.
package protocol RowRecord {
  /// Reads the record's columns by their names. The row may have others.
  init(_ row: borrowing some RowReader & ~Copyable)
}

extension RowRecord where Self: ColumnValue {
  /// Reads the only column.
  package init(_ row: borrowing some RowReader & ~Copyable) { self.init(row, 0) }
}

extension Int64: RowRecord {}
extension String: RowRecord {}
