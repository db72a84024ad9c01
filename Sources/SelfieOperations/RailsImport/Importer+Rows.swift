import SQLite
import SelfieAPI

extension UserStore {
  /// - Returns: the id, which is a new one if it is to have none.
  static func insert(_ user: ImportPlan.NewUser, on connection: Connection) throws -> Int64 {
    try connection.run(
      """
      INSERT INTO users (id, first_name, last_name, email, password_hash, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      user.id.map(Value.integer) ?? .null, .text(orNull: user.firstName), .text(orNull: user.lastName),
      .text(user.email), .text(user.passwordHash), .integer(user.createdAt), .integer(user.updatedAt))
    return connection.lastInsertRowID
  }
}

extension PhotoStore {
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
