import SQLite

/// What an import asks the table `photos` for, and adds to it.
extension PhotoStore {
  /// As much of a photo as an import compares.
  struct Existing {
    let userID: Int64
    let byteCount: Int64
    /// Empty in rows that are older than the column.
    let sha256: [UInt8]
  }

  static func existing(randomID: String, on connection: Connection) throws -> Existing? {
    try connection.first(
      "SELECT user_id, byte_count, sha256 FROM photos WHERE random_id = ?", .text(randomID)
    ) { row in
      Existing(userID: row.integer(0), byteCount: row.integer(1), sha256: row.blob(2))
    }
  }

  static func exists(id: Int64, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM photos WHERE id = ?", .integer(id)) { _ in true } ?? false
  }

  /// - Parameters:
  ///   - photo: gets a new id if it is to have none.
  ///   - file: what lies in its place.
  static func insert(
    _ photo: ImportPlan.NewPhoto, of userID: Int64, file: ImportedFile, on connection: Connection
  ) throws {
    try connection.run(
      """
      INSERT INTO photos
        (id, random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      photo.id.map(Value.integer) ?? .null, .text(photo.randomID), .integer(userID), .text(orNull: photo.name),
      .text(photo.title), .integer(file.byteCount), .text(file.contentType.name), .integer(photo.createdAt),
      .integer(photo.updatedAt), .blob(file.sha256))
  }
}
