import SQL

/// A user, with the number of their photos, notes and live tokens.
package struct UserSummary: Sendable, RowRecord {
  package var user: User
  package private(set) var photos: Int64 = 0
  package private(set) var photoBytes: Int64 = 0
  package private(set) var notes: Int64 = 0
  package private(set) var tokens: Int64 = 0

  package init(user: User) {
    self.user = user
  }

  /// Reads a whole user and four numbers.
  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32 = 0) {
    user = User(row, from: first)
    let next = first + User.columnCount
    (photos, photoBytes) = (row.integer(next), row.integer(next + 1))
    (notes, tokens) = (row.integer(next + 2), row.integer(next + 3))
  }
}
