import Platform
package import SQL

/// A photo, without its bytes: a row of the table `photos`. `PhotoStore` has the queries, and `PhotoBytes` the bytes.
package struct Photo: Sendable, Equatable, RowRecord {
  /// 0 until the photo has a row: the insert gives the next id.
  package var id: Int64
  /// 41 letters; who knows them may see the photo.
  package var randomID: String
  package var userID: Int64
  package var name: String?
  package var title: String
  package var byteCount: Int64
  package var contentType: String
  /// Unix milliseconds.
  package var createdAt: Int64
  package var updatedAt: Int64
  /// Of the bytes; nil where it was not computed yet.
  package var sha256: [UInt8]?

  /// - Parameter updatedAt: nil: as `createdAt`.
  package init(
    id: Int64 = 0, randomID: String, userID: Int64, name: String?, title: String, byteCount: Int64,
    contentType: String, createdAt: Int64, updatedAt: Int64? = nil, sha256: [UInt8]? = nil
  ) {
    self.id = id
    self.randomID = randomID
    self.userID = userID
    self.name = name
    self.title = title
    self.byteCount = byteCount
    self.contentType = contentType
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
    self.sha256 = sha256
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      id: row["id"], randomID: row["random_id"], userID: row["user_id"], name: row["name"], title: row["title"],
      byteCount: row["byte_count"], contentType: row["content_type"], createdAt: row["created_at"],
      updatedAt: row["updated_at"], sha256: row["sha256"])
  }

  /// The original's `rand_string(40)` made one letter more than asked for.
  package static let idLength = 41

  /// Letters of an id that may be in a log: enough to find the file by, and far too little to see the photo.
  static let loggedLetters = 8
  package var loggedID: String { "\(randomID.prefix(Self.loggedLetters))…" }

  /// Whether this could be the id of a photo: letters only, so that it is a safe file name too.
  package static func isID(_ text: some Collection<UInt8>) -> Bool {
    text.count == idLength && text.allSatisfy(\.isASCIILetter)
  }
}
