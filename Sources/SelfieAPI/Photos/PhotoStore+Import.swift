import SQLite

/// What an import asks the table `photos` for, and adds to it.
extension PhotoStore {
  /// As much of a photo as an import compares.
  package struct Existing {
    package let userID: Int64
    package let byteCount: Int64
    /// Empty in rows that are older than the column.
    package let sha256: [UInt8]
  }

  package static func existing(randomID: String, on connection: Connection) throws -> Existing? {
    try connection.first(
      "SELECT user_id, byte_count, sha256 FROM photos WHERE random_id = ?", .text(randomID)
    ) { row in
      Existing(userID: row.integer(0), byteCount: row.integer(1), sha256: row.blob(2))
    }
  }

  package static func exists(id: Int64, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM photos WHERE id = ?", .integer(id)) { _ in true } ?? false
  }
}
