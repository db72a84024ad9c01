/// What was sent up to a Sync and is not answered yet: statements that the server runs in one transaction.
struct Submission {
  enum Purpose {
    /// Prepares a statement, which the key finds.
    case preparation(PreparedStatements.Key)
    case run(Batch)
  }

  let purpose: Purpose
  /// When it was sent, in monotonic milliseconds.
  let sentAt: Int64
  /// The results that have come. They are of use only once the Sync is answered too, since that is the commit.
  var results: [Rows] = []
  /// The first error.
  var error: PostgreSQLError?

  init(_ purpose: Purpose, sentAt: Int64) {
    self.purpose = purpose
    self.sentAt = sentAt
  }
}

/// Queries that are run in one transaction, and who is told of their end.
struct Batch {
  let queries: [Query]
  /// Whether the queries change something. If so, a lost connection leaves their outcome unknown.
  let isWrite: Bool
  /// Is called once.
  let completion: (Result<[Rows], PostgreSQLError>) -> Void

  init(queries: [Query], isWrite: Bool, completion: @escaping (Result<[Rows], PostgreSQLError>) -> Void) {
    self.queries = queries
    self.isWrite = isWrite
    self.completion = completion
  }

  /// One query that changes nothing.
  init(read query: Query, completion: @escaping (Result<Rows, PostgreSQLError>) -> Void) {
    self.init(queries: [query], isWrite: false) { result in
      completion(
        result.flatMap { $0.first.map { .success($0) } ?? .failure(PostgreSQLError(.bug, "there is no result")) })
    }
  }

  func fail(_ error: PostgreSQLError) {
    completion(.failure(error))
  }

  func loseConnection(_ message: String) {
    fail(PostgreSQLError(isWrite ? .unknownOutcome : .away, message))
  }
}
