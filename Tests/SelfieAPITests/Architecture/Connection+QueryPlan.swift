@testable import SQLite

extension Connection {
  /// How SQLite would run `sql`: a line for each step that says whether it searches an index or scans a table.
  func queryPlan(_ sql: String) throws -> [String] {
    let statement = try Statement("EXPLAIN QUERY PLAN " + sql, on: open())
    return try statement.rows(Array(repeating: .null, count: statement.parameterCount)).map { $0.text(3) ?? "" }
  }
}
