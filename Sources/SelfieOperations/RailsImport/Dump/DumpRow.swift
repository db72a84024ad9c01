/// The columns of a table, in the order of the values in its rows.
struct TableColumns: Sendable {
  let names: [String]
  private let positions: [String: Int]

  /// - Throws: a problem if two columns have the same name.
  init(_ names: [String], line: Int) throws(DumpProblem) {
    self.names = names
    positions = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    guard positions.count == names.count else {
      throw DumpProblem(line: line, "Two columns have the same name.")
    }
  }

  func position(of name: String) -> Int? { positions[name] }
}

/// A row of a table.
struct DumpRow {
  let table: String
  /// The line on which it begins.
  let line: Int
  let columns: TableColumns
  /// The texts of the values; nil for NULL.
  let values: [[UInt8]?]

  init(table: String, line: Int, columns: TableColumns, values: [[UInt8]?]) throws(DumpProblem) {
    guard values.count == columns.names.count else {
      throw DumpProblem(
        line: line, "This row has \(values.count) values, but there are \(columns.names.count) columns.")
    }
    self.table = table
    self.line = line
    self.columns = columns
    self.values = values
  }

  /// The text of a value; nil if it is NULL or there is no such column.
  subscript(column: String) -> [UInt8]? {
    columns.position(of: column).flatMap { $0 < values.count ? values[$0] : nil }
  }
}

/// The tables of a dump that were skipped, and their numbers of rows.
public struct SkippedTables: Sendable, Equatable {
  /// More names are dropped, since nobody would read them.
  static let maxNames = 1000

  /// In the order of the dump.
  public private(set) var tables: [(name: String, rows: Int)] = []
  private var positions: [String: Int] = [:]

  mutating func add(rows: Int, of table: String) {
    if let position = positions[table] {
      tables[position].rows += rows
    } else if tables.count < Self.maxNames {
      positions[table] = tables.count
      tables.append((table, rows))
    }
  }

  public static func == (one: SkippedTables, other: SkippedTables) -> Bool {
    one.tables.elementsEqual(other.tables) { $0 == $1 }
  }
}
