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

  /// Reads a whole row, from the column `first` on: the columns are in the order in which migrations have added them.
  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32 = 0) {
    self.init(
      id: row.integer(first), email: row.text(first + 3) ?? "", firstName: row.text(first + 1),
      lastName: row.text(first + 2), passwordHash: row.text(first + 4) ?? "", createdAt: row.integer(first + 5),
      updatedAt: row.integer(first + 6), disabledAt: row.isNull(first + 7) ? nil : row.integer(first + 7))
  }

  static let columnCount: Int32 = 8
}
