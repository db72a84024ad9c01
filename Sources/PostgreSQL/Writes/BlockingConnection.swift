import CPostgreSQL
import Glibc
import SQL

/// A connection that blocks: for a thread that waits for it, or for the time before the server listens.
final class BlockingConnection {
  private let handle: OpaquePointer
  private let responseTimeout: Int32
  /// Whether the connection broke, or the server has ended it. What was sent last may have been done or not.
  private(set) var isLost = false

  /// - Parameter responseTimeout: for how many milliseconds the server may be silent while it owes a response; -1 for
  ///   any time.
  init(
    _ url: DatabaseURL, name: String = "selfie-server", responseTimeout: Int32 = -1
  ) throws(SharedDatabaseError) {
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
    self.responseTimeout = responseTimeout
  }

  deinit {
    PQfinish(handle)
  }

  /// The server's version: 150004 is 15.4.
  var serverVersion: Int32 { PQserverVersion(handle) }

  var isInTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INTRANS }

  /// Runs the statements of `sql`, which take no values.
  func execute(_ sql: String) throws(SharedDatabaseError) {
    _ = try response(isSent: PQsendQuery(handle, sql) == 1)
  }

  /// Commits the transaction.
  ///
  /// - Throws: an error of the server has undone it. If `isLost` then, it may have been committed.
  func commit() throws(SharedDatabaseError) {
    let response = try response(isSent: PQsendQuery(handle, "COMMIT") == 1)
    guard response.tag == "COMMIT" else {
      throw SharedDatabaseError(.bug, "a write has passed over the error of a statement")
    }
  }

  @discardableResult
  func query(_ sql: String, _ values: [Value]) throws(SharedDatabaseError) -> Rows {
    let encoded = try EncodedParameters(values)
    let isSent = encoded.withPointers { count, values, lengths, formats in
      PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1)
    }
    return try response(isSent: isSent == 1).rows()
  }

  /// Runs `body` in a transaction, committed when it returns and rolled back when it throws.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Where the connection is lost the server rolls back.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// The response to the last of the statements that were sent.
  private func response(isSent: Bool) throws(SharedDatabaseError) -> FetchedResult {
    guard isSent else { throw lost(ClientLibrary.message(of: handle)) }
    var last: FetchedResult?
    var failure: ServerError?
    while true {
      try waitForResult()
      guard let result = PQgetResult(handle) else { break }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: last = FetchedResult(result)
      default:
        failure = failure ?? ServerError(result)
        PQclear(result)
      }
    }
    if let failure {
      if failure.endsConnection { isLost = true }
      throw failure.error
    }
    guard let last else { throw lost(ClientLibrary.message(of: handle)) }
    return last
  }

  /// Waits until PQgetResult does not block.
  private func waitForResult() throws(SharedDatabaseError) {
    while PQisBusy(handle) == 1 {
      var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      if !TLSRecord.hasRest(on: handle), poll(&socket, 1, responseTimeout) == 0 {
        throw lost("the server does not respond")
      }
      guard PQconsumeInput(handle) == 1 else { return }
    }
  }

  private func lost(_ reason: String) -> SharedDatabaseError {
    isLost = true
    return SharedDatabaseError(.away, reason)
  }
}

extension BlockingConnection: Transaction {
  func rows(_ query: Query) throws -> Rows { try self.query(query.sql.description, query.values) }

  func run(_ query: Query) throws -> Int64 { try rows(query).changes }
}
