/// Can be decoded from a row. A protocol, since a closure cannot be generic over the row and an initializer can.
package protocol RowRecord {
  /// - Parameter first: the record's first column.
  init(_ row: borrowing some RowReader & ~Copyable, from first: Int32)
}

extension Int64: RowRecord {
  /// NULL is 0.
  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) { self = row.integer(first) }
}

extension String: RowRecord {
  /// NULL is empty.
  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) { self = row.text(first) ?? "" }
}

/// Two numbers; NULL is 0.
package struct NumberPair: Sendable, RowRecord {
  package let first: Int64
  package let second: Int64

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    self.first = row.integer(first)
    second = row.integer(first + 1)
  }
}
