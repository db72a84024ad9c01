import CPostgreSQL
import SQL

/// An error that the server sent, or that libpq made of a broken connection.
struct ServerError {
  let error: SharedDatabaseError
  /// Whether the connection has ended with this error.
  let endsConnection: Bool

  init(_ result: OpaquePointer) {
    // The field codes are macros of characters, which Swift imports as Int32.
    func field(_ code: Int32) -> String? {
      PQresultErrorField(result, code).map { String(cString: $0) }
    }
    let sqlState = field(Int32(UInt8(ascii: "C")))
    // The server also sends the severity in a form that is not translated. Poolers do not.
    let severity = field(Int32(UInt8(ascii: "V"))) ?? field(Int32(UInt8(ascii: "S")))
    // Errors of libpq have no code.
    endsConnection = sqlState == nil || severity == "FATAL" || severity == "PANIC"
    let message = field(Int32(UInt8(ascii: "M"))) ?? "the connection broke"
    error = SharedDatabaseError(
      Self.kind(sqlState, constraint: field(Int32(UInt8(ascii: "n"))) ?? ""), sqlState: sqlState,
      // The messages of this class ("invalid input syntax for type bigint: "x"") quote values.
      sqlState?.hasPrefix("22") == true ? "a value is not valid" : message)
  }

  /// - Parameter message: verbose, with the code between the severity and the text if it is the server's:
  ///   `connection to server at "h", port 5432 failed: FATAL:  28P01: password authentication failed`.
  static func ofConnecting(_ message: String) -> SharedDatabaseError {
    let code = /: {2}([0-9A-Z]{5}):/
    guard let sqlState = message.firstMatch(of: code).map({ String($0.output.1) }) else {
      return SharedDatabaseError(.away, message)
    }
    return SharedDatabaseError(
      kind(sqlState, constraint: ""), sqlState: sqlState, message.replacing(code, with: ": ", maxReplacements: 1))
  }

  private static func kind(_ sqlState: String?, constraint: String) -> SharedDatabaseError.Kind {
    switch sqlState {
    // The server ends the connection, has too many, only reads because it is a standby, or has no such database.
    case nil, "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "53300", readOnly, "3D000": .away
    case "23505": .uniqueViolation(constraint: constraint)
    case "23503": .foreignKeyViolation(constraint: constraint)
    // A failure to serialize, a deadlock, a lock that somebody has kept for too long; no memory, which others have.
    case "40001", "40P01", "55P03", "53200": .conflict
    case "57014": .timeout
    case let code? where code.hasPrefix("53"): .full
    // The connection, and the password.
    case let code? where code.hasPrefix("08") || code.hasPrefix("28"): .away
    default: .bug
    }
  }

  /// The code of an error of a server that does not write.
  static let readOnly = "25006"
  /// Whether there is no such prepared statement. Behind a PgBouncer, other transactions have other connections.
  static func isStatementMissing(_ error: SharedDatabaseError) -> Bool { error.sqlState == "26000" }

  /// Whether a prepared statement may no longer fit a table that was altered.
  static func isStatementStale(_ error: SharedDatabaseError) -> Bool { error.sqlState == "0A000" }

  /// Whether the same statements may succeed at once.
  static func mayBeRepeated(_ error: SharedDatabaseError) -> Bool {
    isStatementMissing(error) || isStatementStale(error) || error.sqlState == "40001" || error.sqlState == "40P01"
  }
}
