import SQL

/// A value that is made of a row. (A closure cannot be generic over the row, but an initializer can.)
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
struct NumberPair: RowRecord {
  let first: Int64
  let second: Int64

  init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    self.first = row.integer(first)
    second = row.integer(first + 1)
  }
}

/// One text; NULL is empty.
struct TextRow: RowRecord {
  let value: String

  init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    value = row.text(first) ?? ""
  }
}
