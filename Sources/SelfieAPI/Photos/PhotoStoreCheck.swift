import SQLite

/// What a check of the storage asks of the table `photos`, on a connection of its own.
extension PhotoStore {
  /// What a row says of its file.
  package struct Stored: Sendable {
    package let rowID: Int64
    package let randomID: String
    package let byteCount: Int64
    /// Nil where it was not computed yet.
    package let sha256: [UInt8]?
  }

  /// The rows behind `rowID`, in order, 500 at most: each page is a read of its own, so that a long check does not keep
  /// a server's log from being checkpointed.
  package static func page(after rowID: Int64, on connection: Connection) throws -> [Stored] {
    try connection.query(
      "SELECT id, random_id, byte_count, sha256 FROM photos WHERE id > ? ORDER BY id LIMIT 500", .integer(rowID)
    ) { row in
      Stored(
        rowID: row.integer(0), randomID: row.text(1) ?? "", byteCount: row.integer(2),
        sha256: row.isNull(3) ? nil : row.blob(3))
    }
  }

  package static func hasRow(_ id: String, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM photos WHERE random_id = ?", .text(id)) { _ in true } ?? false
  }

  package static func isRemoved(_ id: String, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM removed_photos WHERE random_id = ?", .text(id)) { _ in true } ?? false
  }

  /// Deletes rows whose files are missing.
  package static func drop(_ ids: [String], on connection: Connection) throws {
    guard !ids.isEmpty else { return }
    try connection.transaction {
      for id in ids { try connection.run("DELETE FROM photos WHERE random_id = ?", .text(id)) }
    }
  }
}
