/// Can be decoded from a row. A protocol, since a closure cannot be generic over the row and an initializer can.
package protocol RowRecord {
  /// - Parameter first: the record's first column.
  init(_ row: borrowing some RowReader & ~Copyable, from first: Int32)
}

/// One number; NULL is 0.
package struct NumberRow: Sendable, RowRecord {
  package let value: Int64

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    value = row.integer(first)
  }
}

/// Two numbers; NULL is 0.
package struct NumberPair: RowRecord {
  package let first: Int64
  package let second: Int64

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    self.first = row.integer(first)
    second = row.integer(first + 1)
  }
}

/// One text; NULL is empty.
package struct TextRow: RowRecord {
  package let value: String

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    value = row.text(first) ?? ""
  }
}
