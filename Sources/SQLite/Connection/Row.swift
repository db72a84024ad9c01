public import CSQLite
import Platform
public import SQL

/// The current row of a statement. It cannot be copied and is only lent to closures, so that nothing can read it once
/// the statement has moved on. Rows that can be kept are `Rows` in SQL.
///
/// A column that does not exist reads as NULL. SQLite converts between types (sqlite.org/c3ref/column_blob.html).
@usableFromInline
package struct Row: ~Copyable, RowReader {
  @usableFromInline let statement: OpaquePointer
  @usableFromInline let names: ColumnNames

  @usableFromInline
  init(_ statement: OpaquePointer, names: ColumnNames) {
    self.statement = statement
    self.names = names
  }

  /// How many columns there are; the first is number 0.
  package var columnCount: Int32 { sqlite3_column_count(statement) }

  /// The number of the column of this name; -1 if there is none.
  @inlinable
  package func position(of name: StaticString) -> Int32 { names.position(of: name) }

  /// Whether the column is NULL.
  @inlinable
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The column as an integer; 0 for NULL.
  @inlinable
  package func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(statement, column)
  }

  /// The column as bytes; empty for NULL.
  @inlinable
  package func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// Lends the bytes of the column's text to `body`, without a copy; empty for NULL. What is stored as text through
  /// ``Value/text(_:)`` is UTF-8.
  @inlinable
  @discardableResult
  package func withTextBytes<Result>(
    _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    // First the text, since that may convert the value; the length is then that of the converted value.
    let start = sqlite3_column_text(statement, column)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
    return try body(UnsafeBufferPointer(start: start, count: count))
  }

  /// Whether a text of the row has bytes that are not UTF-8. SQLite stores any bytes, which only other
  /// programs than this write.
  @usableFromInline package var hasInvalidText: Bool {
    for column in 0..<columnCount where sqlite3_column_type(statement, column) == SQLITE_TEXT {
      if withTextBytes(column, { String(utf8: $0) }) == nil { return true }
    }
    return false
  }

  /// The column as a value of its own, which outlives the row.
  func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_NULL: .null
    case SQLITE_BLOB: .blob(blob(column))
    // A floating-point number is read as a text too. No table has one.
    default: text(column).map(Value.text) ?? .null
    }
  }
}
