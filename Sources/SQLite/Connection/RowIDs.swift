import SQL

/// The ids of tables with AUTOINCREMENT, which SQLite never gives twice (sqlite.org/autoinc.html).
/// RowIDs+PostgreSQL.swift in SelfieAPI has the counterpart for clusters.
extension Connection {
  /// The greatest id that a table has ever had; 0 if it never had a row.
  package func lastRowID(of table: String) throws -> Int64 {
    try number(Query("SELECT seq FROM sqlite_sequence WHERE name = ?", .text(table)))
  }

  /// Makes the next row of a table get the id after `id`, which is not less than any that the table has.
  package func setLastRowID(_ id: Int64, of table: String) throws {
    try run(Query("DELETE FROM sqlite_sequence WHERE name = ?", .text(table)))
    if id > 0 { try run(Query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table), .integer(id))) }
  }
}
