/// A row of a result, from whatever database. A column that does not exist reads as NULL. `RowRecord` makes a value of
/// a whole row.
///
/// It is for generic functions only, which the compiler specializes: a call through `any RowReader` for each value of
/// each row would take time.
@usableFromInline
package protocol RowReader: ~Copyable {
  /// The number of the column of this name; -1 if there is none. The first column is number 0.
  func position(of name: StaticString) -> Int32

  /// Whether the column is NULL.
  func isNull(_ column: Int32) -> Bool

  /// The column as an integer; 0 for NULL.
  func integer(_ column: Int32) -> Int64

  /// The column as bytes; empty for NULL.
  func blob(_ column: Int32) -> [UInt8]

  /// Whether a text of the row has bytes that are not UTF-8, and so reads as another.
  var hasInvalidText: Bool { get }

  /// Lends the bytes of the column's text to `body`, without a copy; empty for NULL.
  @discardableResult
  func withTextBytes<Result>(
    _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result
}

extension RowReader where Self: ~Copyable {
  /// A database that checks the encoding of its texts has none that are invalid.
  package var hasInvalidText: Bool { false }

  /// The column as text, with U+FFFD for what is not UTF-8; nil for NULL.
  @inlinable
  package func text(_ column: Int32) -> String? {
    isNull(column) ? nil : withTextBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of the column of this name.
  @inlinable
  package subscript<Value: ColumnValue>(name: StaticString) -> Value { Value(self, position(of: name)) }

  /// Whether the column of this name is NULL.
  @inlinable
  package func isNull(_ name: StaticString) -> Bool { isNull(position(of: name)) }

  /// Lends the bytes of a text to `body`, without a copy; empty for NULL.
  @inlinable
  @discardableResult
  package func withTextBytes<Result>(
    _ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result { try withTextBytes(position(of: name), body) }
}

/// Can be the value of a column.
@usableFromInline
package protocol ColumnValue {
  init(_ row: borrowing some RowReader & ~Copyable, _ column: Int32)
}

extension Int64: ColumnValue {
  /// NULL is 0.
  @inlinable
  package init(_ row: borrowing some RowReader & ~Copyable, _ column: Int32) { self = row.integer(column) }
}

extension String: ColumnValue {
  /// NULL is empty.
  @inlinable
  package init(_ row: borrowing some RowReader & ~Copyable, _ column: Int32) { self = row.text(column) ?? "" }
}

extension [UInt8]: ColumnValue {
  /// NULL is empty.
  @inlinable
  package init(_ row: borrowing some RowReader & ~Copyable, _ column: Int32) { self = row.blob(column) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// NULL is nil.
  @inlinable
  package init(_ row: borrowing some RowReader & ~Copyable, _ column: Int32) {
    self = row.isNull(column) ? nil : Wrapped(row, column)
  }
}
