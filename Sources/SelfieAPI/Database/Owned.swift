package import SQL

/// A record with its user's email address. It is for the owner: apps get the record alone, such as a `Photo`.
package struct Owned<Record: RowRecord & Sendable>: Sendable, RowRecord {
  package let email: String?
  package let record: Record

  package init(email: String?, _ record: Record) {
    self.email = email
    self.record = record
  }

  package init(_ row: borrowing some RowReader & ~Copyable) { (email, record) = (row["email"], Record(row)) }
}
