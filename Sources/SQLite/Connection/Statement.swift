import CSQLite
import Platform
import SQL

/// A prepared statement. Its connection keeps it, and runs it for one caller at a time. `Row` reads its results.
final class Statement {
  private let handle: OpaquePointer
  private let names: ColumnNames

  init(_ sql: String, on database: OpaquePointer) throws(SQLiteError) {
    guard !sql.hasNUL else { throw .misuse("SQL cannot hold a NUL") }
    var handle: OpaquePointer?
    var hasMore = false
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
      if let tail { hasMore = String(cString: tail).utf8.contains { !" \t\r\n;".utf8.contains($0) } }
      return code
    }
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
    guard let handle else { throw .misuse("no statement in: \(sql)") }
    guard !hasMore else {
      sqlite3_finalize(handle)
      throw .misuse("more than one statement in: \(sql)")
    }
    self.handle = handle
    names = ColumnNames(
      (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" })
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Runs with `values` for its parameters, and calls `row` for each row until that returns false. Whatever happens, the
  /// statement is ready for its next run afterwards and holds none of the values.
  func run(_ values: [Value], row: (borrowing Row) throws -> Bool) throws {
    try begin(values)
    defer { end() }
    while try step() {
      guard try row(Row(handle, names: names)) else { return }
    }
  }

  /// Runs with `values` for its parameters to the end, and ignores its rows.
  func run(_ values: [Value]) throws(SQLiteError) {
    try begin(values)
    defer { end() }
    while try step() {}
  }

  /// Runs with `values` for its parameters to the end, and returns all that its rows hold.
  func rows(_ values: [Value]) throws(SQLiteError) -> Rows {
    try begin(values)
    defer { end() }
    var cells: [Value] = []
    while try step() {
      let row = Row(handle, names: names)
      for column in 0..<row.columnCount { cells.append(row.value(column)) }
    }
    return Rows(values: cells, columns: names)
  }

  private func begin(_ values: [Value]) throws(SQLiteError) {
    guard sqlite3_stmt_busy(handle) == 0 else { throw .misuse("this statement is running already: \(sql)") }
    guard values.count == parameterCount else {
      throw .misuse("\(values.count) values for the \(parameterCount) parameters of: \(sql)")
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      let code = bind(value, at: index)
      guard code == SQLITE_OK else {
        let error = error(code)
        end()
        throw error
      }
    }
  }

  /// Whether there is another row.
  private func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  private var sql: String { String(cString: sqlite3_sql(handle)) }

  private func error(_ code: Int32) -> SQLiteError { SQLiteError(code: code, of: sqlite3_db_handle(handle)) }

  private func end() {
    // reset only returns the error of the last step again.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null:
      return sqlite3_bind_null(handle, index)
    case .integer(let integer):
      return sqlite3_bind_int64(handle, index, integer)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          // An empty buffer may have no start, which SQLite would take for NULL.
          guard let start = $0.baseAddress else { return sqlite3_bind_text(handle, index, "", 0, copied) }
          return sqlite3_bind_text64(handle, index, start, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
      return sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), copied)
    }
  }
}

/// Tells SQLite to copy what is bound: the bytes need not outlive the call. (`SQLITE_TRANSIENT`, -1, is a macro that
/// Swift does not import.)
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
