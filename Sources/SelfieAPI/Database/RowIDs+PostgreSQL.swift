import SQL
import SQLite

/// The ids of tables that never give one twice. RowIDs.swift in SQLite does the work for files.
extension ApplicationDatabase {
  /// The greatest id that a table has ever had; 0 if it never had a row.
  package func lastRowID(of table: String) async throws -> Int64 {
    switch self {
    case .file(let file): try file.read { try $0.lastRowID(of: table) }
    case .shared(let shared):
      try await shared.first(
        Query("SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence($1, 'id') AS regclass))", .text(table)),
        as: Int64.self) ?? 0
    }
  }

  /// Makes the next row of a table get an id after `id`. PostgreSQL does not do so automatically when a row is inserted
  /// with an id.
  package func raiseLastRowID(to id: Int64, of table: String) async throws {
    guard id > 0 else { return }
    switch self {
    case .file(let file):
      try await file.write { connection in
        if try connection.lastRowID(of: table) < id { try connection.setLastRowID(id, of: table) }
      }
    case .shared(let shared):
      let change = Query(
        """
        SELECT setval(CAST(pg_get_serial_sequence($1, 'id') AS regclass),
          GREATEST($2, pg_sequence_last_value(CAST(pg_get_serial_sequence($1, 'id') AS regclass))))
        """, .text(table), .integer(id))
      _ = try await shared.write(locking: []) { try $0.rows(change) }
    }
  }
}
