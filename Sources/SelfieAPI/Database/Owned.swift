import SQL

/// A record with its user's email address, which is the first column.
package struct Owned<Record: RowRecord & Sendable>: Sendable, RowRecord {
  package let email: String?
  package let record: Record

  package init(email: String?, _ record: Record) {
    self.email = email
    self.record = record
  }

  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    email = row.text(first)
    record = Record(row, from: first + 1)
  }
}
