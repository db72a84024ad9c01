import Platform
import SQL

// Copies what can be read of a damaged database. `StorageSalvage` in SelfieOperations copies the photos.
extension Connection {
  /// Rows that could not be copied.
  package struct LostRows: Sendable, Equatable {
    package let table: String
    /// By their rowids; nil for a table without them.
    package var ids: ClosedRange<Int64>?
    package let reason: String
  }

  /// How many statements may fail in a table: each damaged page makes a few hundred fail.
  private static let maxFailures = 20_000

  /// Copies the rows of a damaged database into this new one, whose tables must be the same. What other rows have noted
  /// of them already, as by migrations, is replaced. Of rows with the same key, the first one stays.
  ///
  /// SQLite gives up a statement at the first damaged page. So rows are copied by ranges of their ids, and a range that
  /// fails is halved, down to single rows.
  ///
  /// - Parameters:
  ///   - path: of the damaged database, which may be changed: its log is copied into it.
  ///   - others: tables that are left as they are, such as one that triggers fill.
  /// - Returns: what could not be copied.
  package func salvage(from path: String, besides others: Set<String>) throws -> [LostRows] {
    // A damaged schema is read as far as possible. Rows may come before those that they belong to.
    try execute("PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON")
    try execute("ATTACH '\(path.replacing("'", with: "''"))' AS damaged")
    var lost: [LostRows] = []
    let tables: [(name: String, sql: String)] = try query(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    ) { ($0["name"], $0["sql"]) }
    for (table, sql) in tables where !others.contains(table) {
      let columns = try query(Query("SELECT name FROM pragma_table_info($1)", .text(table))) { row -> String in
        row["name"]
      }.joined(separator: ", ")
      let copy = "INSERT OR IGNORE INTO main.\(table) (\(columns)) SELECT \(columns) FROM damaged.\(table) NOT INDEXED"
      try execute("DELETE FROM main.\(table)")
      var losses: [LostRows] = []
      if sql.contains("WITHOUT ROWID") {
        do { try execute(copy) } catch { losses = [LostRows(table: table, reason: error.message)] }
      } else {
        losses = copyRanges(of: table, copy)
      }
      lost += try losses.isEmpty ? countRefused(of: table) : losses
    }
    try execute("DETACH damaged; PRAGMA writable_schema = OFF")
    return lost
  }

  /// Finds a page that can be read and is in the wrong place: its rows are there twice, and others nowhere.
  private func countRefused(of table: String) throws -> [LostRows] {
    try execute(
      """
      DROP TABLE IF EXISTS temp.counts;
      CREATE TEMP TABLE counts AS SELECT (SELECT count(*) FROM damaged.\(table) NOT INDEXED) AS found,
        (SELECT count(*) FROM main.\(table)) AS copied
      """)
    let refused = try number("SELECT found - copied FROM temp.counts")
    guard refused > 0 else { return [] }
    let reason = "\(refused) are there twice or break a rule of the table, so that others may be missing"
    return [LostRows(table: table, reason: reason)]
  }

  private func copyRanges(of table: String, _ copy: String) -> [LostRows] {
    var lost: [LostRows] = []
    // The last one is copied next, so that ids come in order.
    var ranges = [Int64.min...Int64.max]
    var failures = 0
    while let range = ranges.popLast() {
      do {
        try execute("\(copy) WHERE rowid BETWEEN \(range.lowerBound) AND \(range.upperBound)")
      } catch {
        failures += 1
        if range.lowerBound < range.upperBound, failures < Self.maxFailures {
          let middle = range.lowerBound / 2 + range.upperBound / 2
          let split = max(range.lowerBound, min(middle, range.upperBound - 1))
          ranges += [split + 1...range.upperBound, range.lowerBound...split]
        } else if let last = lost.last?.ids, last.upperBound &+ 1 == range.lowerBound {
          lost[lost.count - 1].ids = last.lowerBound...range.upperBound
        } else {
          lost.append(LostRows(table: table, ids: range, reason: error.message))
        }
      }
    }
    return lost
  }

  /// Deletes the rows whose foreign keys lead to no row.
  ///
  /// - Returns: how many there were, by table.
  package func deleteOrphans() throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    let keys = try query(
      """
      SELECT tables.name AS child, keys."from" AS key, keys."table" AS parent
      FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'
      """
    ) { ForeignKey(table: $0["child"], column: $0["key"], parent: $0["parent"]) }
    for key in keys {
      try execute("DELETE FROM \(key.table) WHERE \(key.column) NOT IN (SELECT id FROM \(key.parent))")
      counts[key.table, default: 0] += try number("SELECT changes()")
    }
    return counts.filter { $0.value > 0 }
  }
}

/// A column whose values are ids of the rows of another table.
private struct ForeignKey {
  let table: String
  let column: String
  let parent: String
}
