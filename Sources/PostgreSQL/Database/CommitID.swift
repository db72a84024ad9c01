import Cryptography
import SQL

/// Tells whether a transaction was committed whose connection was lost in the middle of its commit.
/// PostgreSQLDatabase+Blocking.swift runs transactions, and runs them again.
///
/// Each transaction that writes inserts a row with a random id into the table `commits` first. To insert the id once more
/// waits until the first transaction has ended, and shows which of the two has inserted it. An id of PostgreSQL's own
/// would not do: `pg_xact_status` calls a transaction "in progress" until the server has noticed the loss, and the id of
/// one that was lost in a crash of the server is given again.
struct CommitID {
  /// How long rows are kept, in milliseconds: far longer than a commit may be in doubt.
  private static let retention: Int64 = 3_600_000

  /// Begins with the time, so that the rows are deleted, and found, in the order of their keys.
  private let bytes: [UInt8]

  /// - Parameter time: Unix milliseconds.
  init(time: Int64, random: RandomSource) {
    bytes = Self.prefix(time) + random.bytes(10)
  }

  private static func prefix(_ time: Int64) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * $0)) }
  }

  /// The first statement of the transaction.
  var insertion: Query { Query("INSERT INTO commits (id, is_undone) VALUES ($1, FALSE)", .blob(bytes)) }

  /// Has a row with 0 if the transaction was committed, and with 1 if it was not and never will be.
  var settling: Query {
    Query(
      """
      INSERT INTO commits (id, is_undone) VALUES ($1, TRUE) ON CONFLICT (id) DO UPDATE SET id = excluded.id
      RETURNING CASE WHEN is_undone THEN 1 ELSE 0 END
      """, .blob(bytes))
  }

  /// Deletes old rows, a thousand at most. Passes over those that another process deletes.
  static func removal(now: Int64) -> Query {
    Query(
      """
      DELETE FROM commits WHERE id = ANY (ARRAY(
        SELECT id FROM commits WHERE id < $1 ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED))
      """, .blob(prefix(now - retention)))
  }
}
