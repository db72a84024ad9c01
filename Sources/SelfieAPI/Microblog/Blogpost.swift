import Platform
package import SQL

/// A post of the Microblog app: a row of the table `blogposts`. `BlogpostStore` has the queries.
package struct Blogpost: Sendable, Equatable, RowRecord {
  /// 0 until the post has a row: the insert gives the next id. Clients know the post by its `uuid`.
  package var id: Int64
  package var uuid: String
  package var userID: Int64
  package var text: String
  /// Unix milliseconds.
  package var createdAt: Int64

  package init(id: Int64 = 0, uuid: String, userID: Int64, text: String, createdAt: Int64) {
    self.id = id
    self.uuid = uuid
    self.userID = userID
    self.text = text
    self.createdAt = createdAt
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      id: row["id"], uuid: row["uuid"], userID: row["user_id"], text: row["text"], createdAt: row["created_at"])
  }

  /// With the longest texts, 100 MB.
  package static let maxPerUser: Int64 = 10_000

  /// A list has a thousand posts, so that this bounds a response to ten megabytes.
  package static let maxTextBytes = 10_000

  /// Why no post can have this text; nil if one can.
  package static func problem(text: String) -> String? {
    if text.hasNUL { return "text must not contain a NUL character." }
    if text.utf8.count > maxTextBytes { return "text has more than \(maxTextBytes) bytes." }
    return Validation.isBlank(text) ? "text must not be blank." : nil
  }
}
