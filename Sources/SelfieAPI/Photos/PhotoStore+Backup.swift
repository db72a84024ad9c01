import SQLite

/// What a backup asks of the tables, on a connection of its own. It must serve every schema that there ever was: a
/// backup is made before an upgrade, too.
extension PhotoStore {
  /// How many photos there are, and their bytes.
  package static func totals(on connection: Connection) throws -> (count: Int64, byteCount: Int64) {
    try connection.first("SELECT count(*), sum(byte_count) FROM photos") { row in
      (row.integer(0), row.integer(1))
    } ?? (0, 0)
  }

  /// As `page(after:on:)`, of a database that may be older than the digests.
  package static func anyPage(after rowID: Int64, on connection: Connection) throws -> [Stored] {
    let hasDigests = try connection.first(
      "SELECT 1 FROM pragma_table_info('photos') WHERE name = 'sha256'"
    ) { _ in true }
    if hasDigests != nil { return try page(after: rowID, on: connection) }
    return try connection.query(
      "SELECT id, random_id, byte_count FROM photos WHERE id > ? ORDER BY id LIMIT 500", .integer(rowID)
    ) { Stored(rowID: $0.integer(0), randomID: $0.text(1) ?? "", byteCount: $0.integer(2), sha256: nil) }
  }
}

extension UserStore {
  package static func count(on connection: Connection) throws -> Int64 {
    try connection.first("SELECT count(*) FROM users") { $0.integer(0) } ?? 0
  }
}
