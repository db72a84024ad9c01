package import SQL

/// The number of rows, and their bytes together. `StoredTotals` in SelfieOperations has those of a whole server.
package struct Totals: Sendable, RowRecord {
  package let rowCount: Int64
  package let byteCount: Int64

  package init(_ row: borrowing some RowReader & ~Copyable) {
    (rowCount, byteCount) = (row["row_count"], row["byte_count"])
  }
}
