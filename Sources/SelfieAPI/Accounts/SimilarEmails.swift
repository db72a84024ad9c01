package import SQL

/// Accounts whose email addresses differ in case only. They are allowed, but usually belong to one person, who has
/// typed the address in two ways. `UserStore` has the query.
package struct SimilarEmails: Sendable, RowRecord, CustomStringConvertible {
  /// The number of such groups of accounts that an owner is shown.
  static let max: Int64 = 20

  private let first: String
  private let last: String
  private let count: Int64

  package init(_ row: borrowing some RowReader & ~Copyable) {
    (first, last, count) = (row["first_email"], row["last_email"], row["row_count"])
  }

  package var description: String {
    "\(count) accounts have addresses that differ only in case, such as \(first) and \(last). Delete the "
      + "unused ones: selfie-server user delete"
  }
}
