import Platform
package import SQL

/// A note of a user: a row of the table `notes`. `NoteStore` has the queries.
package struct Note: Sendable, Equatable, RowRecord {
  /// 0 until the note has a row: the insert gives the next id.
  package var id: Int64
  package var userID: Int64
  package var title: String
  package var body: String
  /// Unix milliseconds.
  package var createdAt: Int64
  package var updatedAt: Int64

  /// - Parameter updatedAt: nil: as `createdAt`.
  package init(
    id: Int64 = 0, userID: Int64, title: String, body: String, createdAt: Int64, updatedAt: Int64? = nil
  ) {
    self.id = id
    self.userID = userID
    self.title = title
    self.body = body
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      id: row["id"], userID: row["user_id"], title: row["title"], body: row["body"], createdAt: row["created_at"],
      updatedAt: row["updated_at"])
  }

  /// Sixty pages of text.
  static let maxBodyBytes = 128 * 1024
  /// A client asks for all of its notes at once, so that their number and size bound a response.
  package static let maxPerUser: Int64 = 10_000
  package static let maxBytesPerUser: Int64 = 4 * 1024 * 1024

  package var byteCount: Int64 { Int64(title.utf8.count) + Int64(body.utf8.count) }

  /// Why no note can have these texts; nil if one can.
  package static func problem(title: String, body: String) -> String? {
    if title.hasNUL { return "Title must not contain a NUL character." }
    if body.hasNUL { return "Body must not contain a NUL character." }
    if Validation.isTooLong(title) { return "Title is too long (maximum is \(Validation.maxCharacters) characters)." }
    if body.utf8.count > maxBodyBytes { return "Body is too long (maximum is \(maxBodyBytes) bytes)." }
    return nil
  }
}

/// A note with the bytes that it counts for.
package struct CountedNote: Sendable, RowRecord {
  package let note: Note
  package let byteCount: Int64
  /// How many bytes its texts have. Those of a text that is not UTF-8 are not as many as those of `note`.
  package let storedBytes: Int64

  package init(_ row: borrowing some RowReader & ~Copyable) {
    (note, byteCount) = (Note(row), row["byte_count"])
    storedBytes = Int64(row.withTextBytes("title", \.count) + row.withTextBytes("body", \.count))
  }
}
