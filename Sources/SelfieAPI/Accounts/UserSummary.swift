import SQL

/// A user, and how much is stored of the user's.
package struct UserSummary: Sendable, RowRecord {
  package var user: User
  package let photos: Int64
  package let photoBytes: Int64
  package let notes: Int64
  /// Those that are live.
  package let tokens: Int64

  package init(user: User, photos: Int64 = 0, photoBytes: Int64 = 0, notes: Int64 = 0, tokens: Int64 = 0) {
    self.user = user
    self.photos = photos
    self.photoBytes = photoBytes
    self.notes = notes
    self.tokens = tokens
  }

  /// Reads a whole user and four numbers.
  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32 = 0) {
    let next = first + User.columnCount
    self.init(
      user: User(row, from: first), photos: row.integer(next), photoBytes: row.integer(next + 1),
      notes: row.integer(next + 2), tokens: row.integer(next + 3))
  }
}
