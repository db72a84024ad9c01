/// A user, and how much is stored of the user's.
package struct UserSummary: Sendable {
  package let user: User
  package let photos: Int64
  package let photoBytes: Int64
  package let notes: Int64
  /// Those that have not expired.
  package let tokens: Int64
}
