import CPostgreSQL
import SQL

// Makes errors from the codes of the server and of libpq. SharedDatabaseError.swift in SQL has the kinds of errors.
extension SharedDatabaseError {
  /// An error that the server sent, or that libpq made of a broken connection.
  ///
  /// - Parameter result: is cleared.
  static func taken(from result: OpaquePointer) -> ConnectionFailure {
    defer { PQclear(result) }
    // The field codes are macros of characters, which Swift imports as Int32.
    func field(_ code: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    let sqlState = field("C")
    // The server also sends the severity in a form that is not translated. Poolers do not.
    let severity = field("V") ?? field("S")
    // The messages of this class ("invalid input syntax for type bigint: "x"") quote values.
    let isAboutValue = sqlState?.hasPrefix("22") == true
    let message = isAboutValue ? "a value is not valid" : field("M") ?? "the connection broke"
    // Errors of libpq have no code.
    let endsConnection = sqlState == nil || severity == "FATAL" || severity == "PANIC"
    return ConnectionFailure(
      error: SharedDatabaseError(kind(sqlState), sqlState: sqlState, message), endsConnection: endsConnection)
  }

  /// - Parameter message: verbose, with the code between the severity and the text if it is the server's:
  ///   `connection to server at "h", port 5432 failed: FATAL:  28P01: password authentication failed`.
  static func ofConnecting(_ message: String) -> SharedDatabaseError {
    if message.contains("unsupported startup parameter") {
      let remedy = "For PgBouncer, set ignore_startup_parameters = options; at Neon or Supabase, connect directly"
      return SharedDatabaseError(.bug, sqlState: "08P01", "a pooler refuses the parameter \"options\". \(remedy)")
    }
    let code = /: {2}([0-9A-Z]{5}):/
    guard let sqlState = message.firstMatch(of: code).map({ String($0.output.1) }) else {
      return SharedDatabaseError(.away, message)
    }
    return SharedDatabaseError(
      kind(sqlState), sqlState: sqlState, message.replacing(code, with: ": ", maxReplacements: 1))
  }

  private static func kind(_ sqlState: String?) -> Kind {
    switch sqlState {
    // The server ends the connection, has too many, only reads because it is a standby, or has no such database.
    case nil, "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "53300", "25006", "3D000": .away
    // A failure to serialize, a deadlock, a lock that was held for too long; no memory, which other processes hold.
    case "40001", "40P01", "55P03", "53200": .conflict
    case "57014": .timeout
    case let code? where code.hasPrefix("53"): .full
    // The connection, and the password.
    case let code? where code.hasPrefix("08") || code.hasPrefix("28"): .away
    default: .bug
    }
  }

  /// Whether the statement would have succeeded without being prepared: there is no such prepared statement, since behind a
  /// PgBouncer other transactions have other connections; it no longer fits a table that was altered; or there is one of
  /// its name.
  var isOfPreparation: Bool { ["26000", "0A000", "42P05"].contains(sqlState) }

  /// Whether the same statements may succeed at once.
  var mayBeRepeated: Bool { isOfPreparation || sqlState == "40001" || sqlState == "40P01" }
}

/// An error that a connection has got.
struct ConnectionFailure {
  let error: SharedDatabaseError
  /// Whether the connection has ended with the error.
  let endsConnection: Bool
}
