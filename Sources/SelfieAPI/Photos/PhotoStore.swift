import HTTPMessages
package import SQL
package import SQLite

/// The queries of the tables `photos` and `removed_photos`. `PhotoBytes` has the photos' bytes.
///
/// A column that is not there yet reads as NULL, so that a database can be backed up before it is upgraded.
package struct PhotoStore: Sendable {
  let database: ApplicationDatabase

  // MARK: - Lists

  /// The photos of a user after the row `id`, oldest first. get_photos writes them as JSON straight from SQLite's memory,
  /// and a column that it does not need would cost it time for each photo.
  @inline(__always)
  static func list(of userID: Int64, after id: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT id, name, title, random_id, created_at, updated_at FROM photos WHERE user_id = $1 AND id > $2 ORDER BY id
      LIMIT $3
      """, .integer(userID), .integer(id), .integer(max))
  }

  /// The `ListVersion` of a user's photos, which never change.
  static func version(of userID: Int64) -> Query {
    Query(
      """
      SELECT count(*) AS row_count, sum(id % $1) AS id_sum,
        (SELECT random_id FROM photos WHERE user_id = $2 ORDER BY id DESC LIMIT 1) AS newest
      FROM photos WHERE user_id = $2
      """, .integer(ListVersion.idModulus), .integer(userID))
  }

  /// The next photos after an id: each page is a read of its own, so that a long look at all of them does not keep a
  /// server's log from being checkpointed.
  package static func page(after id: Int64 = .min, max: Int64 = 500) -> Query {
    Query("SELECT * FROM photos WHERE id > $1 ORDER BY id LIMIT $2", .integer(id), .integer(max))
  }

  /// The number of photos, and their bytes, as `Totals`.
  package static let totals = Query("SELECT count(*) AS row_count, sum(byte_count) AS byte_count FROM photos")

  /// The newest photos before an id, the newest first, as `Owned<Photo>`.
  package static func newest(before id: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT email, photos.* FROM photos LEFT JOIN users ON users.id = user_id
      WHERE photos.id < $1 ORDER BY photos.id DESC LIMIT $2
      """, .integer(id), .integer(max))
  }

  /// A user's newest photos before an id, the newest first, as `Owned<Photo>`.
  package static func newest(of userID: Int64, before id: Int64, max: Int64) -> Query {
    Query(
      """
      SELECT email, photos.* FROM photos LEFT JOIN users ON users.id = user_id
      WHERE user_id = $1 AND photos.id < $2 ORDER BY photos.id DESC LIMIT $3
      """, .integer(userID), .integer(id), .integer(max))
  }

  // MARK: - Single photos

  /// The columns that a download needs. The other columns would cost each download three allocations.
  struct Download: RowRecord {
    let userID: Int64
    let byteCount: Int64
    let contentType: String
    /// Unix milliseconds.
    let createdAt: Int64

    init(_ row: borrowing some RowReader & ~Copyable) {
      (userID, byteCount) = (row["user_id"], row["byte_count"])
      (contentType, createdAt) = (row["content_type"], row["created_at"])
    }
  }

  func download(randomID: String) async throws -> Download? {
    try await database.first(
      Query("SELECT user_id, byte_count, content_type, created_at FROM photos WHERE random_id = $1", .text(randomID)))
  }

  package static func photo(randomID: String) -> Query {
    Query("SELECT * FROM photos WHERE random_id = $1", .text(randomID))
  }

  package static let allIDs = Query("SELECT random_id FROM photos ORDER BY id")

  /// The ids of some of the newest photos.
  static let newestIDs = Query("SELECT random_id FROM photos ORDER BY id DESC LIMIT 20")

  /// The ids of the photos with this spelling or, if `ignoringCase`, with any spelling that differs only in case.
  package static func ids(_ spelling: String, ignoringCase: Bool) -> Query {
    ignoringCase
      ? Query("SELECT random_id FROM photos WHERE lower(random_id) = lower($1)", .text(spelling))
      : Query("SELECT random_id FROM photos WHERE random_id = $1", .text(spelling))
  }

  /// All columns of a photo's row as a JSON object, with the bytes that its texts have. For SQLite.
  package static func json(randomID: String) -> Query {
    Query(
      """
      SELECT json_object('id', id, 'random_id', random_id, 'user_id', user_id, 'name', name, 'title', title,
        'byte_count', byte_count, 'content_type', content_type, 'created_at', created_at, 'updated_at', updated_at,
        'sha256', lower(hex(sha256))) AS row
      FROM photos WHERE random_id = $1
      """, .text(randomID))
  }

  /// The ids of photos that start with a text of ASCII characters, in any order.
  package static func randomIDs(startingWith prefix: String) -> Query {
    Query(
      "SELECT random_id FROM photos WHERE random_id >= $1 AND random_id < $2", .text(prefix), .text(prefix + "\u{7F}"))
  }

  /// Returns a row if there is a photo with this id.
  package static func photo(id: Int64) -> Query { Query("SELECT 1 FROM photos WHERE id = $1", .integer(id)) }

  /// The number of a user's photos; no row if there are none.
  package static func count(of userID: Int64) -> Query {
    Query("SELECT photo_count FROM photo_bytes WHERE user_id = $1", .integer(userID))
  }

  // MARK: - Writes of clients, whose token must be live when they are written

  /// Inserts a photo if the token with which it was uploaded is still live and the limits have room for it. Two uploads
  /// at once cannot exceed a limit together.
  ///
  /// - Parameter mayArriveAgain: whether the object that has the bytes may be stored once more; nil if a file has them.
  /// - Throws: `Refusal`; 503 `busy` if the note was swept.
  func insert(
    _ photo: Photo, as token: Token, within limits: PhotoLimits, mayArriveAgain: Bool? = nil
  ) async throws {
    let isInserted = try await database.write(
      about: limits.storageQuota == nil ? .user(token.userID) : .userAndStorage(token.userID)
    ) { tx in
      try tx.requireLive(token)
      guard try tx.number(Self.count(of: token.userID)) < limits.maxPhotos else {
        throw Refusal.tooManyPhotos(max: limits.maxPhotos)
      }
      if let query = Self.byteCounts(of: token.userID, within: limits) {
        try limits.check(photo.byteCount, besides: tx.first(query) ?? UsedBytes())
      }
      if let mayArriveAgain {
        guard try tx.endUpload(of: photo.randomID, mayArriveAgain: mayArriveAgain) else { return false }
      }
      try tx.run([photo.insertion])
      return true
    }
    guard isInserted else { throw APIError.busy }
  }

  /// Deletes a photo; false when there is none. Its file is among the removed ones from then on.
  ///
  /// - Parameter token: of the photo's user, which must still be live; nil for the owner, who may delete any photo.
  /// - Throws: `Refusal.tokenEnded`, `Refusal.accountDisabled`.
  func remove(randomID: String, as token: Token?) async throws -> Bool {
    try await database.write(about: token.map { .user($0.userID) } ?? .all, makesRoom: true) { tx in
      if let token {
        try tx.requireLive(token)
        guard try tx.first(Self.photo(randomID: randomID), as: Photo.self)?.userID == token.userID else { return false }
      }
      return try tx.run(Self.removal(of: randomID)) > 0
    }
  }

  fileprivate static func removal(of randomID: String) -> Query {
    Query("DELETE FROM photos WHERE random_id = $1", .text(randomID))
  }

  // MARK: - Quotas, by the table `photo_bytes`, which triggers update

  /// The bytes of a user's photos, and of all photos where they have a quota; nil if there is no quota.
  func byteCounts(of userID: Int64, within limits: PhotoLimits) async throws -> UsedBytes? {
    guard let query = Self.byteCounts(of: userID, within: limits) else { return nil }
    return try await database.first(query)
  }

  /// One statement, since each is a round trip where the database is shared.
  private static func byteCounts(of userID: Int64, within limits: PhotoLimits) -> Query? {
    guard limits.userQuota != nil || limits.storageQuota != nil else { return nil }
    return Query(
      """
      SELECT (SELECT byte_count FROM photo_bytes WHERE user_id = $1) AS of_user,
        CASE WHEN $2 = 0 THEN 0 ELSE (SELECT sum(byte_count) FROM photo_bytes) END AS of_all
      """, .integer(userID), limits.storageQuota == nil ? 0 : 1)
  }

  /// How many users with photos have a wrong recorded number or size of them.
  package static let wrongSums = Query(
    """
    SELECT count(*) - count(noted.user_id) FROM (
      SELECT user_id, sum(byte_count) AS byte_count, count(*) AS photo_count FROM photos GROUP BY user_id) AS sums
    LEFT JOIN photo_bytes AS noted ON noted.user_id = sums.user_id AND noted.byte_count = sums.byte_count
      AND noted.photo_count = sums.photo_count
    """)

  /// How many users have a recorded number of photos though they have none.
  package static let sumsWithoutPhotos = Query(
    "SELECT count(*) FROM photo_bytes WHERE NOT EXISTS (SELECT 1 FROM photos WHERE user_id = photo_bytes.user_id)")

  // MARK: - Digests

  /// The next photos after an id whose digests are not known yet, in order, 64 at most.
  func withoutDigest(after id: Int64) async throws -> [Photo] {
    try await database.all(
      Query("SELECT * FROM photos WHERE sha256 IS NULL AND id > $1 ORDER BY id LIMIT 64", .integer(id)))
  }

  // MARK: - Removed photos

  /// The ids of removed photos whose files may still be there, in their order, the next thousand after `id`. A photo that
  /// has a row after all is not removed.
  package static func removed(after id: String) -> Query {
    Query(
      """
      SELECT random_id FROM removed_photos WHERE random_id > $1
        AND NOT EXISTS (SELECT 1 FROM photos WHERE photos.random_id = removed_photos.random_id)
      ORDER BY random_id LIMIT 1000
      """, .text(id))
  }

  /// How many photos are noted as removed though they have rows.
  package static let removedWithRow = Query(
    "SELECT count(*) FROM removed_photos WHERE random_id IN (SELECT random_id FROM photos)")

  /// Returns a row if the file with this id is to be removed.
  package static func removal(pendingFor id: String) -> Query {
    Query("SELECT 1 FROM removed_photos WHERE random_id = $1", .text(id))
  }

  /// Forgets removed photos whose files are deleted for good.
  func forgetRemoved(_ ids: [String]) async throws {
    try await database.write(about: .nobody, makesRoom: true) { try $0.forgetRemoved(ids) }
  }
}

extension Connection {
  /// What the rows say about a file in `incoming/` of this name.
  package func uploadState(_ spelling: String, ignoringCase: Bool) throws -> PhotoFiles.UploadState {
    if let id = try first(PhotoStore.ids(spelling, ignoringCase: ignoringCase), as: String.self) {
      return .stored(id: id)
    }
    return try exists(PhotoStore.removal(pendingFor: spelling)) ? .deleted : .unknown
  }
}

extension Photo: NumberedRecord {
  package var insertion: Query {
    Query(
      """
      INSERT INTO photos (id, random_id, user_id, name, title, byte_count, content_type, created_at, updated_at, sha256)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id
      """, idOrNext, .text(randomID), .integer(userID), .text(orNull: name), .text(title), .integer(byteCount),
      .text(contentType), .integer(createdAt), .integer(updatedAt), .blob(orNull: sha256))
  }
}

extension Transaction {
  /// Gives rows the digests that they lack, unless they were deleted; after a reset, other photos have their ids.
  package func setDigests(of photos: [Photo]) throws {
    try run(
      photos.map { photo in
        Query(
          "UPDATE photos SET sha256 = $1 WHERE id = $2 AND random_id = $3 AND sha256 IS NULL",
          .blob(orNull: photo.sha256), .integer(photo.id), .text(photo.randomID))
      })
  }

  /// Counts the photos of all users, and their bytes, anew. For SQLite, where no other transaction writes meanwhile.
  package func sumPhotosAnew() throws {
    try run([
      Query("DELETE FROM photo_bytes"),
      Query(
        """
        INSERT INTO photo_bytes (user_id, byte_count, photo_count)
        SELECT user_id, sum(byte_count), count(*) FROM photos GROUP BY user_id
        """),
    ])
  }

  /// Deletes photos whose files are missing.
  package func removePhotos(_ ids: [String]) throws {
    for id in ids { try run(PhotoStore.removal(of: id)) }
  }

  /// Forgets that photos which have rows were removed.
  package func forgetRemovedWithRow() throws {
    try run([Query("DELETE FROM removed_photos WHERE random_id IN (SELECT random_id FROM photos)")])
  }

  package func forgetRemoved(_ ids: [String]) throws {
    try run(ids.map { Query("DELETE FROM removed_photos WHERE random_id = $1", .text($0)) })
  }
}

/// A list of photos that was read.
final class KeptPhotoList: Sendable {
  /// The whole list as JSON.
  struct Content {
    let json: [UInt8]
    let tag: ETag
  }

  let token: Token
  /// Of the request: it is part of the photos' addresses.
  let host: [UInt8]
  /// Nil if the list is long: then it is read page by page, for each request.
  let content: Content?

  var isLong: Bool { content == nil }

  /// Without what each list has.
  var byteCount: Int { host.count + (content?.json.count ?? 0) }

  init(token: Token, host: [UInt8], json: [UInt8]?) {
    (self.token, self.host) = (token, host)
    content = json.map { Content(json: $0, tag: ETag(of: $0)) }
  }
}
