/// A row of a result. The first column is number 0.
///
/// Reading a column as another type than its own throws, and so does reading one that does not exist. A value that is
/// NULL reads as nil.
public struct Row: Sendable {
  let rows: Rows
  let number: Int

  /// A column of a type smallint, integer or bigint.
  public func integer(_ column: Int) throws(PostgreSQLError) -> Int64? {
    try check(column, "an integer") { $0.isInteger }
    // In network byte order, and sign-extended from the column's width.
    return rows.withBytes(row: number, column: column) { bytes in
      bytes.reduce(Int64(Int8(bitPattern: bytes.first ?? 0) < 0 ? -1 : 0)) { $0 << 8 | Int64($1) }
    }
  }

  /// A column of a type text, varchar, char or name.
  public func text(_ column: Int) throws(PostgreSQLError) -> String? {
    try check(column, "a text") { $0.isText }
    return rows.withBytes(row: number, column: column) { String(decoding: $0, as: UTF8.self) }
  }

  /// A column of the type bytea.
  public func blob(_ column: Int) throws(PostgreSQLError) -> [UInt8]? {
    try check(column, "bytes") { $0 == .bytea }
    return rows.withBytes(row: number, column: column) { [UInt8]($0) }
  }

  /// A column of the type boolean.
  public func boolean(_ column: Int) throws(PostgreSQLError) -> Bool? {
    try check(column, "a boolean") { $0 == .boolean }
    return rows.withBytes(row: number, column: column) { $0.first == 1 }
  }

  /// Lends the bytes of a column's text to `body`, without a copy; nil for NULL.
  public func withTextBytes<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    try check(column, "a text") { $0.isText }
    return try rows.withBytes(row: number, column: column, body)
  }

  private func check(
    _ column: Int, _ expected: String, _ matches: (ColumnType) -> Bool
  ) throws(PostgreSQLError) {
    guard column >= 0, column < rows.columnCount else {
      throw PostgreSQLError(.bug, "column \(column) of a row of \(rows.columnCount)")
    }
    let type = rows.type(of: column)
    guard matches(type) else {
      throw PostgreSQLError(.bug, "column \(column) has the type \(type.rawValue), which is not \(expected)")
    }
  }
}
