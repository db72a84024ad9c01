import CPostgreSQL

/// A connection that blocks: for the time before the server listens.
final class BlockingConnection {
  private let handle: OpaquePointer

  init(_ url: DatabaseURL) throws(PostgreSQLError) {
    guard let handle = ClientLibrary.connect(url.parameters) else { throw PostgreSQLError(.away, "out of memory") }
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      throw PostgreSQLError(.away, ClientLibrary.message(of: handle))
    }
    ClientLibrary.ignoreNotices(handle)
    self.handle = handle
  }

  deinit {
    PQfinish(handle)
  }

  var isInTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INTRANS }

  /// Runs the statements of `sql`, which take no values.
  func execute(_ sql: String) throws(PostgreSQLError) {
    _ = try rows(PQexec(handle, sql))
  }

  @discardableResult
  func query(_ sql: String, _ values: [Value]) throws(PostgreSQLError) -> Rows {
    let encoded = try EncodedParameters(values)
    let result = encoded.withPointers { count, values, lengths, formats in
      PQexecParams(handle, sql, count, nil, values, lengths, formats, 1)
    }
    return try rows(result)
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

  private func rows(_ result: OpaquePointer?) throws(PostgreSQLError) -> Rows {
    guard let result else { throw PostgreSQLError(.away, ClientLibrary.message(of: handle)) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY else {
      defer { PQclear(result) }
      throw ServerError(result).error
    }
    return Rows(result)
  }
}
