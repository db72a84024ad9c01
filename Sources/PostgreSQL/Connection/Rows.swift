import CPostgreSQL

/// The rows that a statement returned, and how many rows it changed.
///
/// `@unchecked Sendable` is right because libpq never changes a result after it has returned it, and any thread may read
/// one (postgresql.org/docs/15/libpq-threading.html). Only the last owner clears it.
public final class Rows: @unchecked Sendable {
  private let result: OpaquePointer

  /// - Parameter result: belongs to the new object.
  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit {
    PQclear(result)
  }

  /// How many rows an INSERT, UPDATE or DELETE has changed.
  public var changes: Int64 {
    PQcmdTuples(result).flatMap { Int64(String(cString: $0)) } ?? 0
  }

  var columnCount: Int { Int(PQnfields(result)) }

  func type(of column: Int) -> ColumnType {
    ColumnType(rawValue: PQftype(result, Int32(column)))
  }

  /// Lends the bytes of a value to `body`; nil for NULL.
  ///
  /// They are as many as PQgetlength says, and live as long as the result, which `self` keeps.
  ///
  /// - Precondition: there is such a row and column. libpq would print a warning and return nothing.
  func withBytes<Value>(row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value? {
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return nil }
    return try body(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
  }
}

extension Rows: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { Int(PQntuples(result)) }

  public subscript(position: Int) -> Row {
    precondition(indices.contains(position), "there is no row \(position)")
    return Row(rows: self, number: position)
  }
}
