import CPostgreSQL
import SQL

/// A connection that blocks: for the time before the server listens.
final class BlockingConnection {
  private let handle: OpaquePointer

  init(_ url: DatabaseURL, name: String = "selfie-server") throws(SharedDatabaseError) {
    guard let handle = ClientLibrary.connect(url.parameters(named: name)) else {
      throw SharedDatabaseError(.away, "out of memory")
    }
    if PQstatus(handle) != CONNECTION_OK {
      // Only a verbose message has the error's code, and only a second attempt can be asked for one.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      PQreset(handle)
      PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      throw ServerError.ofConnecting(ClientLibrary.message(of: handle))
    }
    ClientLibrary.ignoreNotices(handle)
    self.handle = handle
  }

  deinit {
    PQfinish(handle)
  }

  /// The server's version: 150004 is 15.4.
  var serverVersion: Int32 { PQserverVersion(handle) }

  var isInTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INTRANS }

  /// Runs the statements of `sql`, which take no values.
  func execute(_ sql: String) throws(SharedDatabaseError) {
    _ = try result(PQexec(handle, sql))
  }

  @discardableResult
  func query(_ sql: String, _ values: [Value]) throws(SharedDatabaseError) -> Rows {
    let encoded = try EncodedParameters(values)
    let result = encoded.withPointers { count, values, lengths, formats in
      PQexecParams(handle, sql, count, nil, values, lengths, formats, 1)
    }
    return try self.result(result).rows()
  }

  /// Runs `body` in a transaction, committed when it returns and rolled back when it throws.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Where the connection is lost the server rolls back by itself.
      try? execute("ROLLBACK")
      throw error
    }
  }

  private func result(_ result: OpaquePointer?) throws(SharedDatabaseError) -> FetchedResult {
    guard let result else { throw SharedDatabaseError(.away, ClientLibrary.message(of: handle)) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY else {
      defer { PQclear(result) }
      throw ServerError(result).error
    }
    return FetchedResult(result)
  }
}
