package import SQL

/// A user, with the number of their photos, notes and live tokens. It is for the owner: apps receive a `User` alone.
/// `UserStore` has the query.
package struct UserSummary: Sendable, RowRecord {
  package var user: User
  package private(set) var photos: Int64 = 0
  package private(set) var photoBytes: Int64 = 0
  package private(set) var notes: Int64 = 0
  package private(set) var tokens: Int64 = 0

  package init(user: User) {
    self.user = user
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    user = User(row)
    (photos, photoBytes) = (row["photo_count"], row["photo_bytes"])
    (notes, tokens) = (row["note_count"], row["token_count"])
  }
}
