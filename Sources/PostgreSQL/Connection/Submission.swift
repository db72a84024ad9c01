import SQL

/// What was sent up to a Sync and is not answered yet: statements that the server runs in one transaction.
struct Submission {
  enum Purpose {
    /// Prepares a statement, which the key finds.
    case preparation(PreparedStatements.Key)
    /// Several batches share a Sync only if none of them changes anything.
    case run([Batch])
  }

  let purpose: Purpose
  /// When it was sent, in monotonic milliseconds.
  let sentAt: Int64
  /// The results that have come before an error. Those of a write are of use only once the Sync is answered too, since
  /// that is the commit.
  private(set) var results: [Rows] = []
  /// The first error. The server passes over the queries behind it.
  private(set) var error: SharedDatabaseError?

  init(_ purpose: Purpose, sentAt: Int64) {
    self.purpose = purpose
    self.sentAt = sentAt
  }

  /// None if it prepares a statement.
  var batches: [Batch] { if case .run(let batches) = purpose { batches } else { [] } }

  /// The error if it is that of all batches, because there is one.
  var commonError: SharedDatabaseError? { batches.count == 1 ? error : nil }

  /// Whether there is a result of each query.
  var isAnswered: Bool {
    error == nil && results.count == batches.reduce(0) { $0 + $1.queries.count }
  }

  /// Notes the result of one query.
  mutating func note(_ result: Result<Rows, SharedDatabaseError>) {
    guard error == nil else { return }
    switch result {
    case .success(let rows): results.append(rows)
    case .failure(let error): self.error = error
    }
  }
  func fail(_ error: SharedDatabaseError) {
    for batch in batches { batch.fail(error) }
  }

  /// - Parameter connection: its name.
  func lose(_ connection: String, _ message: String) {
    for batch in batches { batch.lose(connection, message) }
  }
}
