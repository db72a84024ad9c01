package import SQL

/// A person with an account: a row of the table `users`. `UserStore` has the queries, and `Accounts` the rules.
package struct User: Sendable, Equatable, RowRecord {
  /// 0 until the user has a row: the insert gives the next id.
  package var id: Int64
  package var firstName: String?
  package var lastName: String?
  package var email: String
  /// By bcrypt.
  package var passwordHash: String
  /// Unix milliseconds.
  package var createdAt: Int64
  package var updatedAt: Int64
  /// When the owner has disabled the account; nil if it can be used.
  package var disabledAt: Int64?

  /// - Parameter updatedAt: nil: as `createdAt`.
  package init(
    id: Int64 = 0, email: String, firstName: String? = nil, lastName: String? = nil, passwordHash: String,
    createdAt: Int64, updatedAt: Int64? = nil, disabledAt: Int64? = nil
  ) {
    self.id = id
    self.firstName = firstName
    self.lastName = lastName
    self.email = email
    self.passwordHash = passwordHash
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
    self.disabledAt = disabledAt
  }

  package init(_ row: borrowing some RowReader & ~Copyable) {
    self.init(
      id: row["id"], email: row["email"], firstName: row["first_name"], lastName: row["last_name"],
      passwordHash: row["password_hash"], createdAt: row["created_at"], updatedAt: row["updated_at"],
      disabledAt: row["disabled_at"])
  }
}
