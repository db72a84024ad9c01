import SQL

/// A person with an account: a row of the table `users`.
public struct User: Sendable, Equatable, RowRecord {
  /// 0 until the user has a row: the insert gives the next id.
  public var id: Int64
  public var firstName: String?
  public var lastName: String?
  public var email: String
  /// By bcrypt.
  public var passwordHash: String
  /// Unix milliseconds.
  public var createdAt: Int64
  public var updatedAt: Int64
  /// When the owner has disabled the account; nil if it can be used.
  public var disabledAt: Int64?

  /// - Parameter updatedAt: nil: as `createdAt`.
  public init(
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
