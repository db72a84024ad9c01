import Foundation
import SQL
import SQLite
import Testing

/// A table of a closed database, whose pages are damaged as a dying disk does it (sqlite.org/fileformat2.html).
struct DamagedTable {
  private static let pageBytes = 4096
  private let path: String
  private let root: Int

  init(at path: String, table: String) throws {
    self.path = path
    let connection = try Connection(path: path, mode: .readOnly)
    defer { connection.close() }
    root = Int(try connection.number(Query("SELECT rootpage FROM sqlite_schema WHERE name = $1", .text(table))))
  }

  /// Writes the first leaf over the last one, so that ids are out of order.
  func putFirstLeafOverLast() throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    func number(_ offset: Int, _ count: Int) -> Int { bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } }
    let page = (root - 1) * Self.pageBytes
    // An interior page of a table.
    try #require(bytes[page] == 5)
    let first = number(page + number(page + 12, 2), 4)
    let last = number(page + 8, 4)
    let leaf = bytes[(first - 1) * Self.pageBytes..<first * Self.pageBytes]
    bytes.replaceSubrange((last - 1) * Self.pageBytes..<last * Self.pageBytes, with: leaf)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
