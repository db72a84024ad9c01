import HTTPMessages
import SQL

/// Rows that a client gets as the elements of a JSON array, in the order of their keys.
protocol RowList: Sendable {
  associatedtype Key: Sendable

  /// The JSON before the first element.
  static var opening: StaticString { get }
  /// The JSON after the last element.
  static var closing: StaticString { get }

  /// The limit on the rows that the client gets.
  var maxCount: Int64 { get }
  /// A key before those of all rows.
  var start: Key { get }
  /// The rows after a key, in their order, `max` at most.
  func rows(after key: Key, max: Int64) -> Query

  /// Finds the list's `ListVersion`.
  var version: Query { get }
  /// The part of the elements that is in no row.
  var context: [UInt8] { get }

  /// The bytes of a row's texts; 0 of rows that are never long.
  func byteCount(of row: borrowing some RowReader & ~Copyable) -> Int64

  /// Writes the element of a row.
  ///
  /// - Returns: the row's key.
  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) -> Key
}

extension RowList {
  static var opening: StaticString { "[" }
  static var closing: StaticString { "]" }
  var maxCount: Int64 { .max }
  var context: [UInt8] { [] }
  func byteCount(of row: borrowing some RowReader & ~Copyable) -> Int64 { 0 }
}
