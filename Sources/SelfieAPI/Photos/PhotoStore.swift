import SQL
import SQLite

/// The tables `photos` and `removed_photos`.
///
/// Whole rows are read in the order of the columns, to which migrations only ever add at the end. A column that is not
/// there yet reads as NULL, so that a database can be backed up before it is upgraded.
package struct PhotoStore: Sendable {
  let database: ApplicationDatabase

  // MARK: - Lists

  /// The columns of `list`: get_photos writes them as JSON straight from SQLite's memory, and what it does not need would
  /// cost it time for each photo.
  enum Column {
    static let id: Int32 = 0
    static let name: Int32 = 1
    static let title: Int32 = 2
    static let createdAt: Int32 = 3
    static let updatedAt: Int32 = 4
    static let randomID: Int32 = 5
  }

  /// The photos of a user after the row `id`, oldest first.
  @inline(__always)
  static func list(of userID: Int64, after id: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT id, name, title, created_at, updated_at, random_id FROM photos WHERE user_id = $1 AND id > $2 ORDER BY id
      LIMIT $3
      """, .integer(userID), .integer(id), .integer(max))
  }

  /// The `ListVersion` of a user's photos, which never change.
  static func version(of userID: Int64) -> Query {
    Query(
      """
      SELECT count(*), CAST(sum(id % $1) AS bigint), 0, 0,
        (SELECT random_id FROM photos WHERE user_id = $2 ORDER BY id DESC LIMIT 1)
      FROM photos WHERE user_id = $2
      """, .integer(ListVersion.idModulus), .integer(userID))
  }

  /// The photos behind the row `id`, in order, 500 at most: each page is a read of its own, so that a long look at all
  /// of them does not keep a server's log from being checkpointed.
  package static func page(after id: Int64, on connection: Connection) throws -> [Photo] {
    try connection.query(page(after: id)) { Photo($0) }
  }

  package static func page(after id: Int64) -> Query {
    Query("SELECT * FROM photos WHERE id > $1 ORDER BY id LIMIT 500", .integer(id))
  }

  package static func all(on connection: Connection) throws -> [Photo] {
    try connection.query("SELECT * FROM photos ORDER BY id") { Photo($0) }
  }

  /// How many photos there are, and their bytes.
  package static func totals(on connection: Connection) throws -> (count: Int64, byteCount: Int64) {
    try connection.first(totals) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  /// The same, as `Totals`.
  package static let totals = Query("SELECT count(*), CAST(sum(byte_count) AS bigint) FROM photos")

  package struct Totals: Sendable, RowRecord {
    package let count: Int64
    package let byteCount: Int64

    package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
      count = row.integer(first)
      byteCount = row.integer(first + 1)
    }
  }

  /// The newest photos, the newest first, as `OwnedPhoto`.
  package static func newest(max: Int64) -> Query {
    Query(
      """
      SELECT email, photos.* FROM photos LEFT JOIN users ON users.id = user_id
      WHERE photos.id < $1 ORDER BY photos.id DESC LIMIT $2
      """, .integer(.max), .integer(max))
  }

  /// The same of one user.
  package static func newest(of userID: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT email, photos.* FROM photos LEFT JOIN users ON users.id = user_id
      WHERE user_id = $1 ORDER BY photos.id DESC LIMIT $2
      """, .integer(userID), .integer(max))
  }

  /// A photo, as `OwnedPhoto`.
  package static func owned(randomID: String) -> Query {
    Query(
      "SELECT email, photos.* FROM photos LEFT JOIN users ON users.id = user_id WHERE random_id = $1", .text(randomID))
  }

  /// The id of the newest photo; 0 when there is none.
  func newestID() async throws -> Int64 {
    try await database.first(Query("SELECT max(id) FROM photos"), as: NumberRow.self)?.value ?? 0
  }

  // MARK: - Single photos

  /// Only in a file, since the caller does not wait.
  func find(randomID: String) throws -> Photo? {
    try database.requireFile().read { try Self.find(randomID: randomID, on: $0) }
  }

  /// What a download needs of a photo. The other columns would cost each download three allocations.
  struct Download: RowRecord {
    let byteCount: Int64
    let contentType: String
    /// Unix milliseconds.
    let createdAt: Int64

    init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
      byteCount = row.integer(first)
      contentType = row.text(first + 1) ?? ""
      createdAt = row.integer(first + 2)
    }
  }

  func download(randomID: String) async throws -> Download? {
    try await database.first(
      Query("SELECT byte_count, content_type, created_at FROM photos WHERE random_id = $1", .text(randomID)))
  }

  package static func find(randomID: String, on connection: Connection) throws -> Photo? {
    try connection.first(photo(randomID: randomID)) { Photo($0) }
  }

  package static func photo(randomID: String) -> Query {
    Query("SELECT * FROM photos WHERE random_id = $1", .text(randomID))
  }

  package static func exists(randomID: String, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM photos WHERE random_id = $1", .text(randomID)) { _ in true } ?? false
  }

  package static func exists(id: Int64, on connection: Connection) throws -> Bool {
    try connection.first(photo(id: id)) { _ in true } ?? false
  }

  /// Has a row if there is a photo of this id.
  package static func photo(id: Int64) -> Query { Query("SELECT 1 FROM photos WHERE id = $1", .integer(id)) }

  /// How many photos a user has. Half a millisecond for ten thousand.
  package static func count(of userID: Int64) -> Query {
    Query("SELECT count(*) FROM photos WHERE user_id = $1", .integer(userID))
  }

  /// Deletes a photo of any user; false when there is none. Its file is among the removed ones from then on.
  func remove(randomID: String) async throws -> Bool {
    try await database.write(about: .all, makesRoom: true) { tx in
      try tx.run(Query("DELETE FROM photos WHERE random_id = $1", .text(randomID))) > 0
    }
  }

  /// Deletes photos whose files are missing.
  package static func remove(_ ids: [String], on connection: Connection) throws {
    guard !ids.isEmpty else { return }
    try connection.transaction {
      for id in ids { try connection.run("DELETE FROM photos WHERE random_id = $1", .text(id)) }
    }
  }

  /// The greatest id that there has ever been.
  package static func lastID(on connection: Connection) throws -> Int64 { try connection.lastRowID(of: "photos") }

  package static func setLastID(_ id: Int64, on connection: Connection) throws {
    try connection.setLastRowID(id, of: "photos")
  }

  // MARK: - Digests

  /// Photos behind the row `id` whose digests are not known yet, in order, 64 at most.
  func withoutDigest(after id: Int64) async throws -> [Photo] {
    try await database.all(
      Query("SELECT * FROM photos WHERE sha256 IS NULL AND id > $1 ORDER BY id LIMIT 64", .integer(id)))
  }

  func setDigests(of photos: [Photo]) async throws {
    guard !photos.isEmpty else { return }
    try await database.write(about: .all) { try $0.setDigests(of: photos) }
  }

  // MARK: - Removed photos

  /// The ids of removed photos whose files may still be there, in their order from the one behind `id` on, a thousand
  /// at most.
  func removed(after id: String) async throws -> [String] {
    try await database.all(Self.removed(after: id), as: TextRow.self).map(\.value)
  }

  package static func removed(after id: String, on connection: Connection) throws -> [String] {
    try connection.query(removed(after: id)) { $0.text(0) ?? "" }
  }

  private static func removed(after id: String) -> Query {
    Query("SELECT random_id FROM removed_photos WHERE random_id > $1 ORDER BY random_id LIMIT 1000", .text(id))
  }

  package static func isRemoved(_ id: String, on connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM removed_photos WHERE random_id = $1", .text(id)) { _ in true } ?? false
  }

  /// The files of these removed photos are gone for good.
  func forgetRemoved(_ ids: [String]) async throws {
    try await database.write(about: .all, makesRoom: true) { try $0.forgetRemoved(ids) }
  }

  /// Inserts a photo with the id that it has, or with the next one, and has a row with the id.
  package static func insertion(of photo: Photo) -> Query {
    let values: [Value] = [
      .text(photo.randomID), .integer(photo.userID), .text(orNull: photo.name), .text(photo.title),
      .integer(photo.byteCount), .text(photo.contentType), .integer(photo.createdAt), .integer(photo.updatedAt),
      .blob(orNull: photo.sha256),
    ]
    guard photo.id != 0 else {
      return Query(
        """
        INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id
        """, values: values)
    }
    return Query(
      """
      INSERT INTO photos (random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256, id)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id
      """, values: values + [.integer(photo.id)])
  }
}

extension Transaction {
  /// - Returns: the photo's id.
  @discardableResult
  package func insert(_ photo: Photo) throws -> Int64 { try number(PhotoStore.insertion(of: photo)) }

  /// Inserts photos that have ids before those that get new ones, so that no new id takes the place of another's.
  package func insert(_ photos: [Photo]) throws {
    for photo in photos where photo.id != 0 { try insert(photo) }
    for photo in photos where photo.id == 0 { try insert(photo) }
  }

  /// Gives rows the digests that they lack, unless they are gone; after a reset, other photos have their ids.
  package func setDigests(of photos: [Photo]) throws {
    for photo in photos {
      try run(
        Query(
          "UPDATE photos SET sha256 = $1 WHERE id = $2 AND random_id = $3 AND sha256 IS NULL",
          .blob(orNull: photo.sha256), .integer(photo.id), .text(photo.randomID)))
    }
  }

  package func forgetRemoved(_ ids: [String]) throws {
    for id in ids { try run(Query("DELETE FROM removed_photos WHERE random_id = $1", .text(id))) }
  }

  /// Deletes all photos. Their files are among the removed ones from then on.
  ///
  /// - Returns: how many there were.
  package func removeAllPhotos() throws -> Int64 { try run(Query("DELETE FROM photos")) }
}
