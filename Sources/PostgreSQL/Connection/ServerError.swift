import CPostgreSQL

/// An error that the server sent, or that libpq made of a broken connection.
struct ServerError {
  let error: PostgreSQLError
  /// The server ends the connection with this error, and runs nothing that was sent after the query.
  let endsConnection: Bool

  init(_ result: OpaquePointer) {
    // The field codes are macros of characters, which Swift imports as Int32.
    func field(_ code: Int32) -> String? {
      PQresultErrorField(result, code).map { String(cString: $0) }
    }
    let sqlState = field(Int32(UInt8(ascii: "C")))
    let severity = field(Int32(UInt8(ascii: "V"))) ?? ""
    endsConnection = sqlState != nil && (severity == "FATAL" || severity == "PANIC")
    let message = field(Int32(UInt8(ascii: "M"))) ?? "the connection broke"
    error = PostgreSQLError(
      Self.kind(sqlState, constraint: field(Int32(UInt8(ascii: "n"))) ?? ""), sqlState: sqlState,
      // The messages of this class ("invalid input syntax for type bigint: "x"") quote values.
      sqlState?.hasPrefix("22") == true ? "a value is not valid" : message)
  }

  private static func kind(_ sqlState: String?, constraint: String) -> PostgreSQLError.Kind {
    switch sqlState {
    case nil, "57P01", "57P02", "57P03", "57P05", "53300": .away
    case "23505": .uniqueViolation(constraint: constraint)
    case "23503": .foreignKeyViolation(constraint: constraint)
    case "40001", "40P01", "55P03": .conflict
    // A prepared statement that is not there, or no longer fits its altered table, is prepared anew by the next query.
    case "26000", "0A000": .conflict
    case "57014": .timeout
    case let code? where code.hasPrefix("53"): .full
    case let code? where code.hasPrefix("08"): .away
    default: .bug
    }
  }

  /// Whether a prepared statement is gone, or no longer fits a table that was altered.
  static func isStatementLost(_ error: PostgreSQLError) -> Bool {
    error.sqlState == "26000" || error.sqlState == "0A000"
  }
}
