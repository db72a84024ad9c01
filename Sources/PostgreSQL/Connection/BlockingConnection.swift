import COpenSSL
import CPostgreSQL
import Cryptography
import Glibc
import SQL

/// A connection of libpq that blocks: for a thread that waits for it, or for the time before the server listens. It is
/// closed with the last reference to it. `PostgreSQLDatabase` has the threads and gives each a connection.
final class BlockingConnection {
  private let handle: OpaquePointer
  private let responseTimeout: Int32
  /// Whether the connection broke, or the server has ended it. What was sent last may have been done or not.
  private(set) var isLost = false
  /// Statements that go out with the next one, which saves a round trip.
  private var unsent: [Query] = []
  /// More than these would take long beside a round trip.
  private static let maxUnsent = 16
  /// The names of prepared statements, by the addresses of their SQL; nil if none are prepared.
  private var names: [UnsafePointer<UInt8>: String]?

  /// For the time before the server listens. An error has its code.
  convenience init(_ url: DatabaseURL) throws(SharedDatabaseError) {
    try self.init(url, name: url.applicationName, findsCode: true)
  }

  /// Connects, and waits for that.
  ///
  /// - Parameters:
  ///   - name: as the server shows it.
  ///   - findsCode: whether an error has its code. That takes a second attempt, since only then libpq can be asked for it.
  ///   - responseTimeout: for how many milliseconds the server may be silent while it owes a response; -1 for any time.
  ///   - prepares: whether to prepare statements, which halves the server's work. A transaction that fails because of that
  ///     may be repeated on the same connection, which then prepares no more.
  init(
    _ url: DatabaseURL, name: String, findsCode: Bool = false, responseTimeout: Int32 = -1, prepares: Bool = false
  ) throws(SharedDatabaseError) {
    guard let handle = Self.connect(url.parameters.merging(["application_name": name]) { $1 }) else {
      throw SharedDatabaseError(.away, "out of memory")
    }
    self.handle = handle
    names = prepares ? [:] : nil
    self.responseTimeout = responseTimeout
    if findsCode, PQstatus(handle) != CONNECTION_OK {
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      PQreset(handle)
      PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    }
    guard PQstatus(handle) == CONNECTION_OK else { throw .ofConnecting(message) }
    // libpq would print notices, such as that a table is there already, to standard error.
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
  }

  deinit {
    PQfinish(handle)
  }

  /// Nil if there is no memory. libpq copies the strings, each of which is freed after the call.
  private static func connect(_ parameters: [String: String]) -> OpaquePointer? {
    let keywords = parameters.keys.map { strdup($0) }
    let values = parameters.values.map { strdup($0) }
    defer { for text in keywords + values { free(text) } }
    func terminated(_ texts: [UnsafeMutablePointer<CChar>?]) -> [UnsafePointer<CChar>?] {
      texts.map { $0.map { UnsafePointer($0) } } + [nil]
    }
    return PQconnectdbParams(terminated(keywords), terminated(values), 0)
  }

  /// The first line of what the last call has complained about.
  private var message: String {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    return text.split(separator: "\n").first.map(String.init) ?? "the connection broke"
  }

  /// The server's version: 150004 is 15.4.
  var serverVersion: Int32 { PQserverVersion(handle) }

  var isInTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INTRANS }

  /// Runs the statements of `sql`, which take no values.
  func execute(_ sql: String) throws(SharedDatabaseError) {
    if !unsent.isEmpty { _ = try results(of: []) }
    guard PQsendQuery(handle, sql) == 1 else { throw lost(message) }
    _ = try response()
  }

  /// Begins a transaction with its first statements.
  func begin(with statements: [Query] = []) {
    unsent = ["BEGIN"] + statements
  }

  /// Commits the transaction.
  ///
  /// - Throws: an error of the server has undone it. If `isLost` then, it may have been committed.
  func commit() throws(SharedDatabaseError) {
    guard try result(of: "COMMIT").tag == "COMMIT" else {
      throw SharedDatabaseError(.bug, "a write has passed over the error of a statement")
    }
  }

  func rollBack() throws(SharedDatabaseError) {
    unsent = []
    try execute("ROLLBACK")
  }

  private func result(of query: Query) throws(SharedDatabaseError) -> FetchedResult {
    guard let result = try results(of: [query]).last else { throw lost(message) }
    return result
  }

  /// The results of statements. All are sent before the first one is awaited, so that the server can go on meanwhile; their
  /// values are small.
  private func results(of queries: [Query]) throws(SharedDatabaseError) -> [FetchedResult] {
    let queries = exchange(&unsent, with: []) + queries
    var statements: [(sql: StaticString, values: EncodedParameters)] = []
    for query in queries { statements.append((query.sql, try EncodedParameters(query.values))) }
    guard PQenterPipelineMode(handle) == 1 else { throw lost(message) }
    defer { PQexitPipelineMode(handle) }
    return try receive(responsesTo: send(statements))
  }

  /// A statement that was sent, or what prepares it under a name.
  private typealias Sent = (sql: StaticString, preparedName: String?)

  private func send(
    _ statements: [(sql: StaticString, values: EncodedParameters)]
  ) throws(SharedDatabaseError) -> [Sent] {
    var sent: [Sent] = []
    var known = names
    for (sql, values) in statements {
      if known != nil, known?[sql.utf8Start] == nil {
        let name = Self.statementName(of: sql)
        known?[sql.utf8Start] = name
        guard PQsendPrepare(handle, name, sql.description, 0, nil) == 1 else { throw lost(message) }
        sent.append((sql, name))
      }
      guard send(sql, values, preparedAs: known?[sql.utf8Start]) else { throw lost(message) }
      sent.append((sql, nil))
    }
    guard PQpipelineSync(handle) == 1 else { throw lost(message) }
    return sent
  }

  /// The name of a prepared statement, which says what its SQL is. Behind a PgBouncer several clients share the server's
  /// connections: a name that two of them gave to different statements would run the wrong one.
  private static func statementName(of sql: StaticString) -> String {
    "s\(Digest.hex(Digest.sha256(Array(sql.description.utf8))).prefix(24))"
  }

  /// Sends a statement, whose results are to be binary; false if the connection is broken.
  ///
  /// - Parameter name: of the prepared statement; nil if it is not prepared.
  private func send(_ sql: StaticString, _ parameters: EncodedParameters, preparedAs name: String?) -> Bool {
    parameters.withPointers { count, values, lengths, formats in
      guard let name else {
        return PQsendQueryParams(handle, sql.description, count, nil, values, lengths, formats, 1) == 1
      }
      return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
    }
  }

  private func receive(responsesTo sent: [Sent]) throws(SharedDatabaseError) -> [FetchedResult] {
    var results: [FetchedResult] = []
    var failure: SharedDatabaseError?
    for statement in sent {
      do throws(SharedDatabaseError) {
        let result = try response()
        if let name = statement.preparedName { names?[statement.sql.utf8Start] = name } else { results.append(result) }
      } catch {
        failure = failure ?? error
        if isLost { throw failure ?? error }
      }
    }
    try waitForResult()
    let end = PQgetResult(handle)
    defer { PQclear(end) }
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw lost(message) }
    guard let failure else { return results }
    // Behind a PgBouncer, other transactions have other connections.
    if failure.isOfPreparation { names = nil }
    throw failure
  }

  /// Runs `body` in a transaction, committed when it returns and rolled back when it throws.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    begin()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      // Where the connection is lost the server rolls back.
      try? rollBack()
      throw error
    }
  }

  /// The response to the last of the statements that were sent.
  private func response() throws(SharedDatabaseError) -> FetchedResult {
    var last: FetchedResult?
    var failure: SharedDatabaseError?
    while true {
      try waitForResult()
      guard let result = PQgetResult(handle) else { break }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: last = FetchedResult(result)
      case PGRES_PIPELINE_ABORTED:
        PQclear(result)
        failure = SharedDatabaseError(.bug, "an earlier statement has failed")
      default:
        let found = SharedDatabaseError.taken(from: result)
        if failure == nil { (failure, isLost) = (found.error, isLost || found.endsConnection) }
      }
    }
    if let failure { throw failure }
    guard let last else { throw lost(message) }
    return last
  }

  /// Waits until PQgetResult does not block.
  private func waitForResult() throws(SharedDatabaseError) {
    while PQisBusy(handle) == 1 {
      var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      if !hasRestOfTLSRecord, poll(&socket, 1, responseTimeout) == 0 {
        throw lost("the server does not respond")
      }
      guard PQconsumeInput(handle) == 1 else { return }
    }
  }

  /// Whether OpenSSL has more of a record of which libpq has taken a part.
  ///
  /// libpq asks for it once in each PQconsumeInput, and may not have room for a record of more than eight kilobytes, such
  /// as some poolers send. The rest then waits in OpenSSL, where no event of the socket tells of it.
  private var hasRestOfTLSRecord: Bool {
    // libpq returns the SSL of this name, and nil where it uses another library or no TLS.
    guard let ssl = PQsslStruct(handle, "OpenSSL") else { return false }
    return SSL_pending(OpaquePointer(ssl)) > 0
  }

  private func lost(_ reason: String) -> SharedDatabaseError {
    isLost = true
    return SharedDatabaseError(.away, reason)
  }
}

extension BlockingConnection: Transaction {
  func rows(_ query: Query) throws(SharedDatabaseError) -> Rows { try result(of: query).rows() }

  /// The rows of queries that are sent together. If one fails, all do.
  func rows(_ queries: [Query]) throws(SharedDatabaseError) -> [Rows] {
    var rows: [Rows] = []
    for result in try results(of: queries) { rows.append(try result.rows()) }
    return rows
  }

  @discardableResult
  func run(_ query: Query) throws(SharedDatabaseError) -> Int64 { try result(of: query).changes }

  func run(_ queries: [Query]) throws(SharedDatabaseError) {
    unsent += queries
    if unsent.count > Self.maxUnsent { _ = try results(of: []) }
  }
}
