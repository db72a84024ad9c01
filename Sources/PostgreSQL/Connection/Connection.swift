import CPostgreSQL
import SQL

/// A connection to a PostgreSQL server that reads and never blocks, for one thread.
///
/// Queries go out at once, after those that are not answered yet: libpq's pipeline mode
/// (postgresql.org/docs/15/libpq-pipeline-mode.html). Batches may share a Sync, which saves the server a transaction and
/// both sides a message for each of them; those that the server passes over because of an error of another one are sent
/// again. A batch that the server refuses for a reason that may be gone is sent once more.
///
/// The owner watches ``descriptor`` for ``wantedEvents``, calls ``process(_:now:)`` when they happen, and
/// ``expire(now:)`` at ``deadline``. The descriptor may be another one after each of these calls until the connection
/// is ready.
public final class Connection {
  public enum State: Equatable {
    case connecting
    case ready
    /// It broke or was closed. The text says why, for the log.
    case closed(String)
  }

  /// Its name as the server knows it: `application_name`.
  public let name: String
  public private(set) var state = State.connecting
  /// When nothing has come for so long while something is due, the connection is given up, in monotonic milliseconds;
  /// nil if nothing is due.
  public var deadline: Int64? {
    switch state {
    case .connecting: saturated(lastProgress, connectTimeout)
    case .ready: inFlight.first.map { saturated(max($0.sentAt, lastProgress), responseTimeout) }
    case .closed: nil
    }
  }
  public private(set) var wantedEvents: SocketEvents = .writable

  private var handle: OpaquePointer?
  private var prepared = PreparedStatements()
  private var inFlight = SubmissionQueue()
  private var lastProgress: Int64
  /// When the last Sync of batches was answered, and how long the server took for them, in milliseconds.
  private var lastAnswer: (time: Int64, duration: Int64)
  private let connectTimeout: Int64
  private let responseTimeout: Int64

  /// Begins to connect.
  ///
  /// The names of hosts are looked up here and then, which may block. Give `addresses`, the result of a look-up on
  /// another thread, to keep that off this one.
  ///
  /// - Parameters:
  ///   - name: by which the server is asked about it. It should be of no other connection.
  ///   - connectTimeout: in milliseconds, for all of it.
  ///   - responseTimeout: how long the server may be silent while it owes a response. It should be more than the
  ///     server's own timeout of statements.
  public init(
    _ url: DatabaseURL, addresses: HostAddresses? = nil, name: String = "selfie-server", now: Int64,
    connectTimeout: Int64 = 5000, responseTimeout: Int64 = 10_000
  ) {
    self.name = name
    lastProgress = now
    // Nothing is known of the server yet.
    lastAnswer = (now, .max)
    self.connectTimeout = connectTimeout
    self.responseTimeout = responseTimeout
    let parameters = url.parameters(named: name)
    handle = ClientLibrary.startConnecting(addresses?.added(to: parameters) ?? parameters)
    if let handle, PQstatus(handle) != CONNECTION_BAD {
      ClientLibrary.ignoreNotices(handle)
    } else {
      close(handle.map(ClientLibrary.message) ?? "out of memory")
    }
  }

  deinit {
    PQfinish(handle)
  }

  /// The socket; nil if there is none.
  public var descriptor: Int32? {
    guard let handle else { return nil }
    let socket = PQsocket(handle)
    return socket >= 0 ? socket : nil
  }

  /// How many batches are not answered yet.
  public var inFlightCount: Int { inFlight.batchCount }

  /// Whether the server takes a while to answer. Then batches should not share a Sync: it is silent until it has run all
  /// of them, and would seem dead.
  func isSlow(now: Int64) -> Bool {
    let waited = inFlight.first.map { now - max($0.sentAt, lastAnswer.time) } ?? 0
    return max(waited, lastAnswer.duration) >= 100
  }

  /// Ends the connection. What is in flight fails.
  public func close() {
    close("the connection was closed")
  }

  /// Sends batches that share a Sync. The completion of each is called once, on this thread, perhaps before this returns.
  func submit(_ batches: [Batch], now: Int64) {
    let encoded = batches.compactMap { batch in batch.encoded().map { (batch: batch, queries: $0) } }
    guard !encoded.isEmpty else { return }
    guard state == .ready, let handle else {
      for (batch, _) in encoded { batch.fail(SharedDatabaseError(.away, "there is no connection")) }
      return
    }
    // Without prepared statements, a repeated batch cannot miss one.
    let isPrepared = !encoded.contains { $0.batch.isRepeated }
    let queries = encoded.flatMap(\.queries)
    var isSent = true
    for query in queries where isSent && isPrepared { isSent = prepare(query.sql, on: handle, now: now) }
    inFlight.append(Submission(encoded.map(\.batch), sentAt: now))
    for query in queries where isSent {
      isSent = send(query.sql, query.parameters, isPrepared: isPrepared, on: handle)
    }
    guard isSent, PQpipelineSync(handle) == 1, flush(handle) else {
      return close(ClientLibrary.message(of: handle))
    }
  }

  /// Sends what prepares a statement, if the connection has not prepared it yet. A Sync of its own keeps errors of the
  /// batch from undoing it.
  private func prepare(_ sql: StaticString, on handle: OpaquePointer, now: Int64) -> Bool {
    let key = PreparedStatements.key(of: sql)
    guard prepared[key] == nil else { return true }
    let name = prepared.add(key, sql)
    inFlight.append(Submission(preparing: key, sentAt: now))
    return PQsendPrepare(handle, name, sql.description, 0, nil) == 1 && PQpipelineSync(handle) == 1
  }

  private func send(
    _ sql: StaticString, _ parameters: EncodedParameters, isPrepared: Bool, on handle: OpaquePointer
  ) -> Bool {
    let wantsBinary: Int32 = 1
    return parameters.withPointers { count, values, lengths, formats in
      guard isPrepared else {
        return PQsendQueryParams(handle, sql.description, count, nil, values, lengths, formats, wantsBinary) == 1
      }
      guard let name = prepared[PreparedStatements.key(of: sql)] else { return false }
      return PQsendQueryPrepared(handle, name, count, values, lengths, formats, wantsBinary) == 1
    }
  }

  /// Sends what the socket takes now; false if the connection is broken.
  private func flush(_ handle: OpaquePointer) -> Bool {
    let code = PQflush(handle)
    wantedEvents = code == 1 ? [.readable, .writable] : .readable
    return code >= 0
  }

  /// Goes on after something has happened on the socket.
  public func process(_ events: SocketEvents, now: Int64) {
    guard let handle else { return }
    guard state == .ready else { return connect(handle, now: now) }
    if events.contains(.readable) { lastProgress = now }
    var isOpen = true
    var mayHaveMore = events.contains(.readable)
    repeat {
      if mayHaveMore { isOpen = PQconsumeInput(handle) == 1 }
      // Before the end of the connection is noted, the responses that came before it count.
      readResponses()
      guard state == .ready else { return }
      mayHaveMore = isOpen && TLSRecord.hasRest(on: handle)
    } while mayHaveMore
    guard isOpen, flush(handle) else { return close(ClientLibrary.message(of: handle)) }
  }

  /// Gives the connection up if its deadline has passed.
  public func expire(now: Int64) {
    guard let deadline, deadline <= now else { return }
    close(state == .connecting ? "the server cannot be reached" : "the server does not respond")
  }

  private func connect(_ handle: OpaquePointer, now: Int64) {
    switch PQconnectPoll(handle) {
    case PGRES_POLLING_READING: wantedEvents = .readable
    case PGRES_POLLING_WRITING: wantedEvents = .writable
    case PGRES_POLLING_OK:
      guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
        return close(ClientLibrary.message(of: handle))
      }
      state = .ready
      wantedEvents = .readable
      lastProgress = now
    default: close(ClientLibrary.message(of: handle))
    }
  }

  private func readResponses() {
    // A null ends the results of one statement, and only a second one means that nothing more has come.
    var wasNull = false
    while let handle, !inFlight.isEmpty, PQisBusy(handle) == 0 {
      let result = PQgetResult(handle)
      if let result { take(result) } else if wasNull { return }
      wasNull = result == nil
    }
  }

  private func take(_ result: OpaquePointer) {
    switch PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC:
      PQclear(result)
      if let submission = inFlight.removeFirst() { finish(submission) }
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
      let rows = Result { () throws(SharedDatabaseError) in try FetchedResult(result).rows() }
      note(rows)
    case PGRES_PIPELINE_ABORTED:
      PQclear(result)
    default:
      let serverError = ServerError(result)
      PQclear(result)
      if serverError.endsConnection { close(serverError.error.message) } else { note(.failure(serverError.error)) }
    }
  }

  private func note(_ result: Result<Rows, SharedDatabaseError>) {
    guard case let (batch, results)?? = inFlight.updateFirst({ $0.note(result) }) else { return }
    batch.completion(.success(results))
  }

  private func finish(_ submission: Submission) {
    if let key = submission.preparation {
      if let error = submission.error, error.sqlState != ServerError.isPreparedAlready { prepared.fail(key, error) }
      return
    }
    lastAnswer = (lastProgress, lastProgress - max(submission.sentAt, lastAnswer.time))
    guard let batch = submission.batches.first, let error = submission.error else { return }
    finish(batch, after: error)
    // They were passed over because of the error.
    for batch in submission.batches.dropFirst() { submit([batch], now: lastProgress) }
  }

  private func finish(_ batch: Batch, after error: SharedDatabaseError) {
    if let cause = forgetStatements(of: batch, after: error) { return batch.fail(cause) }
    if ServerError.mayBeRepeated(error) && !batch.isRepeated { return submit([batch.repeated], now: lastProgress) }
    batch.fail(error)
  }

  /// Has the statements prepared again if the error says that they are lost. Returns why one could not be prepared.
  private func forgetStatements(of batch: Batch, after error: SharedDatabaseError) -> SharedDatabaseError? {
    let isStale = ServerError.isStatementStale(error)
    guard isStale || ServerError.isStatementMissing(error) else { return nil }
    let keys = batch.queries.map { PreparedStatements.key(of: $0.sql) }
    let cause = keys.lazy.compactMap { [prepared] in prepared.error(of: $0) }.first
    for key in keys { prepared.remove(key, isStale: isStale) }
    return cause
  }

  private func close(_ reason: String) {
    guard handle != nil || state == .connecting else { return }
    PQfinish(handle)
    handle = nil
    state = .closed(reason)
    wantedEvents = []
    for submission in inFlight.removeAll() { submission.fail(SharedDatabaseError(.away, reason)) }
  }
}

/// The sum, or the largest number: a deadline that never comes.
private func saturated(_ time: Int64, _ milliseconds: Int64) -> Int64 {
  let (sum, overflows) = time.addingReportingOverflow(milliseconds)
  return overflows ? .max : sum
}
