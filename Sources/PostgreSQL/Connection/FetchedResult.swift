import CPostgreSQL
import SQL

/// A result of libpq, as the owner of the memory of its rows.
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
    for column in 0..<columns {
      let type = PQftype(result, column)
      guard Self.readableTypes.contains(type) else {
        throw SharedDatabaseError(.bug, "column \(column) has the type \(type), which must be cast")
      }
    }
    var cells: [UnsafeRawBufferPointer?] = []
    cells.reserveCapacity(Int(PQntuples(result)) * Int(columns))
    for row in 0..<PQntuples(result) {
      for column in 0..<columns { cells.append(cell(row, column)) }
    }
    return Rows(of: self, cells: cells, columns: Int(columns))
  }

  /// The types of which ``SQL/Rows`` can show values, as the object identifiers of rows of pg_type: smallint, integer and
  /// bigint; text, character varying, character and name; bytea, and void, which is the empty result of a function that
  /// returns nothing. The others, such as the numeric that a sum is, must be cast.
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
