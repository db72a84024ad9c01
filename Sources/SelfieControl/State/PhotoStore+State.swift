import SQLite
import SelfieAPI

/// What a test's control of the storage asks the table `photos` for, and does to it.
extension PhotoStore {
  /// A photo's row; its digest is nil where that is not noted yet.
  struct StateRow: Sendable {
    let photo: StateDocument.Photo
    let sha256: [UInt8]?
  }

  /// - Returns: rows whose content is kept under no digest yet.
  static func all(on connection: Connection) throws -> [StateRow] {
    try connection.query(
      """
      SELECT id, random_id, user_id, name, title, content_type, byte_count, created_at, updated_at, sha256 FROM photos
      ORDER BY id
      """
    ) { row in
      StateRow(
        photo: StateDocument.Photo(
          id: row.integer(0), randomID: row.text(1) ?? "", userID: row.integer(2), name: row.text(3),
          title: row.text(4) ?? "", contentType: row.text(5), byteCount: row.integer(6), createdAt: row.integer(7),
          updatedAt: row.integer(8), content: .kept(sha256: [])),
        sha256: row.isNull(9) ? nil : row.blob(9))
    }
  }

  /// - Parameter content: what lies in the photo's place.
  /// - Returns: the id.
  static func insert(
    _ photo: StateDocument.Photo, of userID: Int64, content: PhotoContent, now: Int64, on connection: Connection
  ) throws -> Int64 {
    let createdAt = photo.createdAt ?? now
    try connection.run(
      """
      INSERT INTO photos
        (id, random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      photo.id.map(Value.integer) ?? .null, .text(photo.randomID), .integer(userID), .text(orNull: photo.name),
      .text(photo.title), .integer(content.byteCount), .text(photo.contentType ?? content.type.name),
      .integer(createdAt), .integer(photo.updatedAt ?? createdAt), .blob(content.sha256))
    return connection.lastInsertRowID
  }

  /// Their files are among the removed ones from then on.
  ///
  /// - Returns: how many there were.
  static func removeAll(on connection: Connection) throws -> Int64 {
    try connection.run("DELETE FROM photos")
    return connection.changes
  }

  /// The greatest id that there has ever been.
  static func lastID(on connection: Connection) throws -> Int64 {
    try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'photos'") { $0.integer(0) } ?? 0
  }

  /// - Parameter id: not less than any that there is.
  static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.run("DELETE FROM sqlite_sequence WHERE name = 'photos'")
    if id > 0 { try connection.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('photos', ?)", .integer(id)) }
  }
}
