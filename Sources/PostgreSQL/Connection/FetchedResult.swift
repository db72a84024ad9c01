import CPostgreSQL
import SQL

/// A result of libpq, as the owner of the memory of its rows. `Rows` in SQL reads the values.
///
/// `@unchecked Sendable` is right because libpq never changes a result after it has returned it, and any thread may
/// read one (postgresql.org/docs/15/libpq-threading.html). Only the last owner clears it.
final class FetchedResult: @unchecked Sendable {
  private let result: OpaquePointer

  /// - Parameter result: belongs to the new object.
  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit {
    PQclear(result)
  }

  /// Its rows, which are not copied.
  ///
  /// Each value has as many bytes as PQgetlength says, and they live as long as the result, which the rows keep.
  ///
  /// - Throws: a bug if a column has a type that rows cannot show.
  func rows() throws(SharedDatabaseError) -> Rows {
    let columns = PQnfields(result)
    let types = (0..<columns).map { PQftype(result, $0) }
    for (column, type) in types.enumerated() {
      guard type == Self.numeric || Self.readableTypes.contains(type) else {
        throw SharedDatabaseError(.bug, "column \(column) has the type \(type), which must be cast")
      }
    }
    var cells: [UnsafeRawBufferPointer?] = []
    cells.reserveCapacity(Int(PQntuples(result)) * Int(columns))
    for row in 0..<PQntuples(result) {
      for column in 0..<columns { cells.append(cell(row, column)) }
    }
    let names = ColumnNames((0..<columns).map { PQfname(result, $0).map { String(cString: $0) } ?? "" })
    let rows = Rows(of: self, cells: cells, columns: names)
    guard types.contains(Self.numeric) else { return rows }
    return Rows(values: rows.flatMap { row in (0..<columns).map { value(of: row, $0) } }, columns: names)
  }

  /// The type of a sum of bigints.
  private static let numeric: Oid = 1700

  /// A value of a row, with a numeric as an integer.
  private func value(of row: Rows.Row, _ column: Int32) -> Value {
    guard !row.isNull(column) else { return .null }
    return switch PQftype(result, column) {
    case Self.numeric: .integer(row.withTextBytes(column, Self.integer(ofNumeric:)))
    case 20, 21, 23: .integer(row.integer(column))
    case 17: .blob(row.blob(column))
    default: .text(orNull: row.text(column))
    }
  }

  /// The whole part of a numeric, or the nearest number that an integer can be.
  ///
  /// - Parameter bytes: 16-bit numbers: of digits to the base 10,000, the exponent of the first digit, the sign, of decimals
  ///   that are shown, and the digits (numeric_send in PostgreSQL's numeric.c).
  private static func integer(ofNumeric bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]))
    }
    guard words.count > 4, words[1] >= 0 else { return 0 }
    let sign: Int64 = words[2] == 0 ? 1 : -1
    var number: Int64 = 0
    for index in 0...Int(words[1]) {
      let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: 10_000)
      let digit = index + 4 < words.count ? Int64(words[index + 4]) : 0
      let (sum, isSumTooLarge) = shifted.addingReportingOverflow(sign * digit)
      guard !isTooLarge, !isSumTooLarge else { return sign > 0 ? .max : .min }
      number = sum
    }
    return number
  }

  /// The types of which ``SQL/Rows`` can show values, as the object identifiers of rows of pg_type: smallint, integer and
  /// bigint; text, character varying, character and name; bytea, and void, which is the empty result of a function that
  /// returns nothing. The others must be cast, but for a numeric.
  private static let readableTypes: [Oid] = [21, 23, 20, 25, 1043, 1042, 19, 17, 2278]

  private func cell(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
  }

  /// The command that the server has run, such as COMMIT.
  var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  /// How many rows the command has changed.
  var changes: Int64 {
    PQcmdTuples(result).flatMap { Int64(String(cString: $0)) } ?? 0
  }
}
