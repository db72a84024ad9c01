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

/// Two records of one column each.
package struct Pair<First: RowRecord & Sendable, Second: RowRecord & Sendable>: Sendable, RowRecord {
  package let first: First
  package let second: Second

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    self.first = First(row, from: first)
    second = Second(row, from: first + 1)
  }
}

package typealias NumberPair = Pair<Int64, Int64>
package typealias TextPair = Pair<String, String>
