import HTTPMessages
import Platform
import SQL
import SQLite

// Lists as JSON arrays, and their pages. ListResponses.swift sends them, and `ListVersion` has their versions.

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

  /// The most bytes that an element can have, with the escapes of JSON.
  static var maxElementBytes: Int { get }

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
  /// Enough for two texts of `Validation.maxCharacters` and an address.
  static var maxElementBytes: Int { 8 * 1024 }
  /// The most memory that a page takes while it is made: its array doubles when it is full.
  static var maxPageBytes: Int { 2 * (ListPageLimits.maxBytes + maxElementBytes) }
  var maxCount: Int64 { .max }
  var context: [UInt8] { [] }
  func byteCount(of row: borrowing some RowReader & ~Copyable) -> Int64 { 0 }
}

/// How far a list has been read.
struct ListPosition<Key: Sendable>: Sendable {
  /// Of the last row that was read.
  fileprivate(set) var key: Key
  fileprivate var count: Int64 = 0
  fileprivate var maxRows = ListPageLimits.maxRows
  fileprivate(set) var isAtEnd = false

  init<List: RowList>(startOf list: List) where List.Key == Key {
    key = list.start
  }
}

/// The length of a page. A list that fits into one is made on the event loop.
enum ListPageLimits {
  static let maxRows: Int64 = 200
  /// Without the last element, which may have 60 kB as a post, and 800 kB as a note. On the event loop, no longer note is
  /// made.
  static let maxBytes = 64 * 1024
}

/// A part of a list as JSON, with what comes before the first element and after the last.
struct ListPage<Key: Sendable>: Sendable {
  let json: [UInt8]
  let end: ListPosition<Key>
}

extension ListPage {
  /// Reads the next page from a file, only as far as it goes.
  ///
  /// - Parameter isOnLoop: whether to leave out a long element, with all that follow.
  @inline(__always)
  static func read<List: RowList>(
    _ list: List, after position: ListPosition<Key>, from connection: Connection, isOnLoop: Bool = false
  ) throws -> ListPage where List.Key == Key {
    var page = ListPageWriter(list, after: position, isOnLoop: isOnLoop)
    try connection.forEach(page.query) { page.add($0) }
    return page.finish()
  }

  /// Fetches the next page.
  static func read<List: RowList>(
    _ list: List, after position: ListPosition<Key>, from shared: any SharedDatabase, flow: Flow
  ) async throws -> ListPage where List.Key == Key {
    try await shared.read(ListPageWriter(list, after: position).query, flow: flow) { rows in
      var page = ListPageWriter(list, after: position)
      for row in rows {
        guard page.add(row) else { break }
      }
      return page.finish()
    }
  }
}

private struct ListPageWriter<List: RowList>: ~Copyable {
  private let list: List
  private let start: ListPosition<List.Key>
  private var json: JSONWriter
  private var key: List.Key
  private var count: Int64 = 0
  /// Whether there are more rows than have room.
  private var isFull = false
  private let isOnLoop: Bool

  init(_ list: List, after position: ListPosition<List.Key>, isOnLoop: Bool = false) {
    self.list = list
    self.isOnLoop = isOnLoop
    start = position
    key = position.key
    json = JSONWriter(capacity: 1024, continuesArray: position.count > 0)
    if position.count == 0 { json.open(List.opening) }
  }

  /// One row more than has room says that the list goes on.
  var query: Query { list.rows(after: start.key, max: min(start.maxRows + 1, list.maxCount - start.count)) }

  /// - Returns: whether the next row may have room.
  mutating func add(_ row: borrowing some RowReader & ~Copyable) -> Bool {
    guard count < start.maxRows, json.count < ListPageLimits.maxBytes,
      !isOnLoop || list.byteCount(of: row) <= ListPageLimits.maxBytes
    else {
      isFull = true
      return false
    }
    key = list.write(row, to: &json)
    count += 1
    return true
  }

  consuming func finish() -> ListPage<List.Key> {
    var end = start
    end.key = key
    end.count += count
    end.isAtEnd = !isFull
    // A shared database sends all rows, so that it is not asked again and again for many that have no room.
    end.maxRows = min(ListPageLimits.maxRows, 2 * count)
    if !isFull { json.close(List.closing) }
    return ListPage(json: json.bytes, end: end)
  }
}
