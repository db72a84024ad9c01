/// Somebody who has an account.
struct User: Sendable, Equatable {
  let id: Int64
  let firstName: String?
  let lastName: String?
  let email: String
  let passwordHash: String
}
