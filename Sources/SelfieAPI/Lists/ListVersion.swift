import HTTPMessages
import SQL

/// Tells the states of a list apart without reading its elements, for the ETag of a list that is sent while it is read.
/// Each `RowList` has the query.
///
/// No id is given to two rows. So the number of the rows changes with each that comes or goes, or the newest row does,
/// but after an import or a restore: they bring back ids, and change the sum.
struct ListVersion: Sendable, RowRecord {
  /// Ids can be as large as 2^53, so their sum is one of remainders.
  static let idModulus: Int64 = 2_147_483_647

  private let count: Int64
  private let idSum: Int64
  /// The times of the last changes of the rows; 0 of rows that never change, whose queries do not have the columns.
  private let changeSum: Int64
  private let lastChange: Int64
  /// A text of the newest row.
  private let newest: String

  init(_ row: borrowing some RowReader & ~Copyable) {
    (count, idSum, newest) = (row["row_count"], row["id_sum"], row["newest"])
    (changeSum, lastChange) = (row["change_sum"], row["last_change"])
  }

  /// The tag of the list; nil just after a change, since another change within its millisecond would not show.
  ///
  /// - Parameter now: Unix milliseconds, by the clock of the changes; in a cluster, the clocks differ a little.
  func tag(_ context: [UInt8], now: Int64) -> ETag? {
    guard lastChange < now - 1000 else { return nil }
    return ETag(weaklyOf: Array("\(count) \(idSum) \(changeSum) \(newest) ".utf8) + context)
  }
}
