import Platform
import SQL

// All times are those of the database's clock, since the clocks of the processes may differ. A time that lies ahead
// because that clock was set back counts only as long as one that lies behind: nobody is locked out for longer than the
// window.
extension GuessTable {
  /// The columns of `counts` from which on the account's are.
  static let firstAccountColumn: Int32 = 2

  /// Has a row for each key: how many attempts there were within the window, and how many milliseconds ago the first of
  /// them was. The first row also has the account of a name, or NULL.
  static func counts(of keys: Keys, window: Int64, for name: AccountName?) -> Query {
    let digests = keys.all.map { Value.blob(orNull: $0?.digest) }
    let text = name.flatMap { $0.text.hasNUL ? nil : $0.text }
    let values = digests + [.integer(window), .text(orNull: text)]
    return switch name {
    case .email?, nil:
      Query(
        """
        WITH asked AS MATERIALIZED (SELECT unix_milliseconds() AS now)
        SELECT recent.attempts, GREATEST(0, asked.now - recent.oldest), users.*
        FROM asked
        CROSS JOIN (VALUES (0, $1::bytea), (1, $2::bytea), (2, $3::bytea), (3, $4::bytea)) AS keys (place, key)
        LEFT JOIN guesses ON guesses.key = keys.key
        CROSS JOIN LATERAL (
          SELECT count(*) AS attempts, min(time) AS oldest FROM unnest(guesses.times) AS time
          WHERE abs(asked.now - time) < $5) AS recent
        LEFT JOIN users ON keys.place = 0 AND users.email = $6
        ORDER BY keys.place
        """, values: values)
    case .microblogName?:
      Query(
        """
        WITH asked AS MATERIALIZED (SELECT unix_milliseconds() AS now)
        SELECT recent.attempts, GREATEST(0, asked.now - recent.oldest), microblog_users.*
        FROM asked
        CROSS JOIN (VALUES (0, $1::bytea), (1, $2::bytea), (2, $3::bytea), (3, $4::bytea)) AS keys (place, key)
        LEFT JOIN guesses ON guesses.key = keys.key
        CROSS JOIN LATERAL (
          SELECT count(*) AS attempts, min(time) AS oldest FROM unnest(guesses.times) AS time
          WHERE abs(asked.now - time) < $5) AS recent
        LEFT JOIN microblog_users ON keys.place = 0 AND microblog_users.name = $6
        ORDER BY keys.place
        """, values: values)
    }
  }

  /// Counts an attempt for each key, unless one of them is at its limit, and forgets what is older than the window.
  ///
  /// Rows are written in the order of their keys, so that no two attempts wait for each other. One that is counted twice,
  /// because a connection was lost, does no harm.
  ///
  /// - Parameter question: is asked in the same round trip.
  /// - Returns: a row for each key: how many milliseconds are left until the next attempt is allowed; and the rows of the
  ///   question.
  func count(
    _ keys: Keys, window: Int64, asking question: Query? = nil
  ) async throws -> (waits: Rows, found: Rows) {
    let values: [Value] = keys.all.flatMap { key -> [Value] in
      [.blob(orNull: key?.digest), .integer(orNull: key.map { Int64($0.max) })]
    }
    let query = Query(
      """
      WITH asked AS MATERIALIZED (SELECT unix_milliseconds() AS now),
      keys (place, key, max) AS (
        VALUES (0, $1::bytea, $2::bigint), (1, $3::bytea, $4::bigint), (2, $5::bytea, $6::bigint),
          (3, $7::bytea, $8::bigint)),
      waits AS MATERIALIZED (
        SELECT keys.place, keys.key,
          CASE WHEN recent.attempts >= keys.max THEN LEAST($9, recent.oldest + $9 - asked.now) ELSE 0 END AS wait
        FROM asked CROSS JOIN keys LEFT JOIN guesses ON guesses.key = keys.key
        CROSS JOIN LATERAL (
          SELECT count(*) AS attempts, min(time) AS oldest FROM unnest(guesses.times) AS time
          WHERE abs(asked.now - time) < $9) AS recent),
      counted AS (
        INSERT INTO guesses AS known (key, times, used_at)
        SELECT waits.key, ARRAY[asked.now], asked.now FROM asked CROSS JOIN waits
        WHERE waits.key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM waits AS others WHERE others.wait > 0)
        ORDER BY waits.key
        ON CONFLICT (key) DO UPDATE SET used_at = excluded.used_at, times = ARRAY(
          SELECT time FROM (
            SELECT time FROM unnest(known.times || excluded.times) AS time
            WHERE abs(excluded.used_at - time) < $9
            ORDER BY time DESC LIMIT (SELECT keys.max FROM keys WHERE keys.key = excluded.key)) AS newest
          ORDER BY time))
      SELECT wait FROM waits ORDER BY place
      """, values: values + [.integer(window)])
    let rows = try await database.write([query] + [question].compactMap(\.self), nil).rows
    return (rows.first ?? .none, rows.dropFirst().first ?? .none)
  }

  static func removal(of digest: [UInt8]) -> Query {
    Query("DELETE FROM guesses WHERE key = $1", .blob(digest))
  }

  func remove(_ digest: [UInt8]) async throws {
    _ = try await database.write([Self.removal(of: digest)], nil)
  }

  /// Forgets rows that were not used for so many milliseconds, a thousand at most. It passes over those that another
  /// process forgets.
  ///
  /// - Returns: how many they were.
  func removeThousand(olderThan age: Int64) async throws -> Int64 {
    let written = try await database.run(
      Write(
        lock: nil,
        [
          Query(
            """
            DELETE FROM guesses WHERE key = ANY (ARRAY(
              SELECT key FROM guesses WHERE used_at <= (SELECT unix_milliseconds() - $1) LIMIT 1000
              FOR UPDATE SKIP LOCKED))
            """, .integer(age))
        ]))
    return written.others.first?.changes ?? 0
  }
}
