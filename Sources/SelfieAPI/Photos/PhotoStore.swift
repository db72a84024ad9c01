import SQLite

/// The table `photos`.
package struct PhotoStore: Sendable {
  let database: Database

  /// What `forEach` shows.
  typealias Row = SQLite.Row

  /// The columns of a row that `forEach` shows.
  enum Column {
    static let id: Int32 = 0
    static let name: Int32 = 1
    static let title: Int32 = 2
    static let createdAt: Int32 = 3
    static let updatedAt: Int32 = 4
    static let randomID: Int32 = 5
  }

  /// Shows the photos of a user, oldest first: all of them, or `most`.
  func forEach(of userID: Int64, most: Int64 = -1, _ body: (borrowing Row) throws -> Void) throws {
    try database.read { connection in
      try connection.forEach(
        """
        SELECT id, name, title, created_at, updated_at, random_id FROM photos WHERE user_id = ? ORDER BY id
        LIMIT ?
        """,
        .integer(userID), .integer(most), row: body)
    }
  }

  func find(randomID: String) throws -> Photo? {
    try database.read { connection in
      try connection.first(
        """
        SELECT random_id, user_id, name, title, byte_count, content_type, created_at FROM photos WHERE random_id = ?
        """,
        .text(randomID)
      ) { row in
        Photo(
          randomID: row.text(0) ?? "", userID: row.integer(1), name: row.text(2), title: row.text(3) ?? "",
          byteCount: row.integer(4), contentType: row.text(5) ?? "", createdAt: row.integer(6))
      }
    }
  }

  /// The digest of its file is for later.
  func insert(_ photo: Photo) async throws {
    try await database.write { try Self.insert(photo, on: $0) }
  }

  static func insert(_ photo: Photo, on connection: Connection) throws {
    try connection.run(
      """
      INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(photo.randomID), .integer(photo.userID), .text(orNull: photo.name), .text(photo.title),
      .integer(photo.byteCount), .text(photo.contentType), .integer(photo.createdAt), .integer(photo.createdAt))
  }

  /// Photos behind the row `id` whose digests are not known yet, in order, 64 at most.
  func withoutDigest(after id: Int64) throws -> [Stored] {
    try database.read { connection in
      try connection.query(
        "SELECT id, random_id, byte_count FROM photos WHERE sha256 IS NULL AND id > ? ORDER BY id LIMIT 64",
        .integer(id)
      ) { Stored(rowID: $0.integer(0), randomID: $0.text(1) ?? "", byteCount: $0.integer(2), sha256: nil) }
    }
  }

  /// The number of the newest row; 0 when there is none.
  func newestRowID() throws -> Int64 {
    try database.read { connection in
      try connection.first("SELECT max(id) FROM photos") { $0.integer(0) } ?? 0
    }
  }

  /// What a file was found to be.
  package struct Digest: Sendable {
    let rowID: Int64
    let randomID: String
    let sha256: [UInt8]

    package init(rowID: Int64, randomID: String, sha256: [UInt8]) {
      self.rowID = rowID
      self.randomID = randomID
      self.sha256 = sha256
    }
  }

  /// Gives rows the digests that they lack, unless they are gone; after a reset, other photos have their ids.
  func setDigests(_ digests: [Digest]) async throws {
    guard !digests.isEmpty else { return }
    try await database.write { try Self.setDigests(digests, on: $0) }
  }

  package static func setDigests(_ digests: [Digest], on connection: Connection) throws {
    for digest in digests {
      try connection.run(
        "UPDATE photos SET sha256 = ? WHERE id = ? AND random_id = ? AND sha256 IS NULL", .blob(digest.sha256),
        .integer(digest.rowID), .text(digest.randomID))
    }
  }

  /// Deletes a photo of this user; false when there is none. Its file is among the removed ones from then on.
  func remove(randomID: String, userID: Int64) async throws -> Bool {
    try await database.write { connection in
      try connection.run(
        "DELETE FROM photos WHERE random_id = ? AND user_id = ?", .text(randomID), .integer(userID))
      return connection.changes == 1
    }
  }

  /// The ids of removed photos whose files may still be there, in their order from the one behind `id` on, a thousand
  /// at most.
  func removed(after id: String) throws -> [String] {
    try database.read { try Self.removed(after: id, on: $0) }
  }

  package static func removed(after id: String, on connection: Connection) throws -> [String] {
    try connection.query(
      "SELECT random_id FROM removed_photos WHERE random_id > ? ORDER BY random_id LIMIT 1000", .text(id)
    ) { $0.text(0) ?? "" }
  }

  package static func forgetRemoved(_ ids: [String], on connection: Connection) throws {
    for id in ids { try connection.run("DELETE FROM removed_photos WHERE random_id = ?", .text(id)) }
  }

  /// The files of these removed photos are gone for good.
  func forgetRemoved(_ ids: [String]) async throws {
    try await database.write { try Self.forgetRemoved(ids, on: $0) }
  }
}
