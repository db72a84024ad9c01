import CPostgreSQL
import SQL

/// A connection to a PostgreSQL server that reads and never blocks, for one thread.
///
/// Queries go out at once, after those that are not answered yet: libpq's pipeline mode
/// (postgresql.org/docs/15/libpq-pipeline-mode.html). Reads may share a Sync, which saves the server a transaction and
/// both sides a message for each of them; those that the server passes over because of an error of another one are sent
/// again. A read that the server refuses for a reason that may be gone is sent once more.
///
/// The owner watches ``descriptor`` for reading, and for writing if it ``wantsToWrite``. It calls
/// ``process(isReadable:now:)`` when either is possible, and ``expire(now:)`` at ``deadline``.
final class PipelinedConnection {
  /// Why it has ended, for the log; nil while it is open.
  private(set) var failure: String?
  private(set) var wantsToWrite = false
  /// How many reads are not answered yet.
  private(set) var inFlightCount = 0

  private var client: ClientConnection?
  private var inFlight: [Submission] = []
  /// The names of prepared statements, by the addresses of their SQL in memory, so that finding one takes no comparison
  /// of texts.
  private var names: [UnsafePointer<UInt8>: String] = [:]
  /// How often a table was altered that prepared statements no longer fit.
  private var generation = 0
  private var lastProgress: Int64
  /// When the last Sync of reads was answered, and how long the server took for them, in milliseconds.
  private var lastAnswer: (time: Int64, duration: Int64)
  private let responseTimeout: Int64

  /// - Parameters:
  ///   - client: is connected.
  ///   - responseTimeout: how long the server may be silent while it owes a response. It should be more than the
  ///     server's own timeout of statements.
  init(_ client: ClientConnection, now: Int64, responseTimeout: Int64) {
    self.client = client
    lastProgress = now
    // Nothing is known of the server yet.
    lastAnswer = (now, .max)
    self.responseTimeout = responseTimeout
    let isReady = PQsetnonblocking(client.handle, 1) == 0 && PQenterPipelineMode(client.handle) == 1
    if !isReady { close(client.message) }
  }

  /// The socket; nil if there is none.
  var descriptor: Int32? { client.map { PQsocket($0.handle) } }

  /// When the connection is given up if nothing comes, in monotonic milliseconds; nil if nothing is due.
  var deadline: Int64? { inFlight.first.map { max($0.sentAt, lastProgress) &+ responseTimeout } }

  /// Whether the server takes a while to answer. Then reads should not share a Sync: it is silent until it has run all
  /// of them, and would seem dead.
  func isSlow(now: Int64) -> Bool {
    let waited = inFlight.first.map { now - max($0.sentAt, lastAnswer.time) } ?? 0
    return max(waited, lastAnswer.duration) >= 100
  }

  // MARK: - Sending

  /// Sends reads that share a Sync. The completion of each is called once, on this thread, perhaps before this returns.
  func submit(_ reads: [Read], now: Int64) {
    guard let client else {
      let error = SharedDatabaseError(.away, failure ?? "there is no connection")
      return reads.forEach { $0.completion(.failure(error)) }
    }
    // Without prepared statements, a repeated read cannot miss one.
    let isPrepared = !reads.contains(where: \.isRepeated)
    var isSent = !isPrepared || reads.allSatisfy { prepare($0.sql, on: client, now: now) }
    inFlight.append(Submission(reads: reads, sentAt: now))
    inFlightCount += reads.count
    for read in reads where isSent {
      isSent = client.send(read.sql, read.values, preparedAs: isPrepared ? names[read.sql.utf8Start] : nil)
    }
    guard isSent, PQpipelineSync(client.handle) == 1, flush(client) else { return close(client.message) }
  }

  /// Sends what prepares a statement, if the connection has not prepared it yet. A Sync of its own keeps errors of the
  /// reads from undoing it.
  private func prepare(_ sql: StaticString, on client: ClientConnection, now: Int64) -> Bool {
    guard names[sql.utf8Start] == nil else { return true }
    let name = "\(ClientConnection.statementName(of: sql))_\(generation)"
    names[sql.utf8Start] = name
    inFlight.append(Submission(isPreparation: true, sentAt: now))
    return PQsendPrepare(client.handle, name, sql.description, 0, nil) == 1 && PQpipelineSync(client.handle) == 1
  }

  /// Sends what the socket takes now; false if the connection is broken.
  private func flush(_ client: ClientConnection) -> Bool {
    let code = PQflush(client.handle)
    wantsToWrite = code == 1
    return code >= 0
  }

  // MARK: - Receiving

  /// Goes on after something has happened on the socket.
  func process(isReadable: Bool, now: Int64) {
    guard let client else { return }
    if isReadable { lastProgress = now }
    var isOpen = true
    var mayHaveMore = isReadable
    repeat {
      if mayHaveMore { isOpen = PQconsumeInput(client.handle) == 1 }
      // Before the end of the connection is noted, the responses that came before it count.
      readResponses()
      guard failure == nil else { return }
      mayHaveMore = isOpen && client.hasRestOfTLSRecord
    } while mayHaveMore
    guard isOpen, flush(client) else { return close(client.message) }
  }

  /// Gives the connection up if its deadline has passed.
  func expire(now: Int64) {
    if let deadline, deadline <= now { close("the server does not respond") }
  }

  private func readResponses() {
    // A null ends the results of one statement, and only a second one means that nothing more has come.
    var wasNull = false
    while let client, !inFlight.isEmpty, PQisBusy(client.handle) == 0 {
      let result = PQgetResult(client.handle)
      if let result { take(result) } else if wasNull { return }
      wasNull = result == nil
    }
  }

  private func take(_ result: OpaquePointer) {
    switch PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC:
      PQclear(result)
      if !inFlight.isEmpty { finish(inFlight.removeFirst()) }
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
      let rows = Result { () throws(SharedDatabaseError) in try FetchedResult(result).rows() }
      note(rows)
    case PGRES_PIPELINE_ABORTED:
      PQclear(result)
    default:
      let (error, endsConnection) = SharedDatabaseError.taken(from: result)
      if endsConnection { close(error.message) } else { note(.failure(error)) }
    }
  }

  private func note(_ result: Result<Rows, SharedDatabaseError>) {
    guard !inFlight.isEmpty, inFlight[0].error == nil, !inFlight[0].reads.isEmpty else { return }
    switch result {
    case .success:
      let read = inFlight[0].reads.removeFirst()
      inFlightCount -= 1
      read.completion(result)
    case .failure(let error): inFlight[0].error = error
    }
  }

  private func finish(_ submission: Submission) {
    guard !submission.isPreparation else { return }
    lastAnswer = (lastProgress, lastProgress - max(submission.sentAt, lastAnswer.time))
    inFlightCount -= submission.reads.count
    guard let failed = submission.reads.first, let error = submission.error else { return }
    finish(failed, after: error)
    // They were passed over because of the error.
    for read in submission.reads.dropFirst() { submit([read], now: lastProgress) }
  }

  private func finish(_ read: Read, after error: SharedDatabaseError) {
    if error.isStatementMissing { names[read.sql.utf8Start] = nil }
    if error.isStatementStale {
      generation += 1
      names = [:]
    }
    guard error.mayBeRepeated, !read.isRepeated else { return read.completion(.failure(error)) }
    var read = read
    read.isRepeated = true
    submit([read], now: lastProgress)
  }

  /// Ends the connection. What is in flight fails.
  func close(_ reason: String = "the connection was closed") {
    guard client != nil else { return }
    client = nil
    failure = reason
    let lost = inFlight.flatMap(\.reads)
    (inFlight, inFlightCount) = ([], 0)
    for read in lost { read.completion(.failure(SharedDatabaseError(.away, reason))) }
  }
}
