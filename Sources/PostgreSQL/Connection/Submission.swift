import SQL

/// What was sent up to a Sync and is not answered yet: statements that the server runs in one transaction.
struct Submission {
  /// The statement that it prepares; nil if it runs batches.
  let preparation: PreparedStatements.Key?
  /// Those that are not answered yet. Several share a Sync only if none of them changes anything.
  private(set) var batches: [Batch]
  let isShared: Bool
  /// When it was sent, in monotonic milliseconds.
  let sentAt: Int64
  /// The results that have come for the first of the batches. Those of a write are of use only once the Sync is answered
  /// too, since that is the commit.
  private(set) var results: [Rows] = []
  /// The first error, which is that of the first of the batches. What comes behind it is of no use.
  private(set) var error: SharedDatabaseError?

  init(preparing key: PreparedStatements.Key, sentAt: Int64) {
    (preparation, batches, isShared) = (key, [], false)
    self.sentAt = sentAt
  }

  init(_ batches: [Batch], sentAt: Int64) {
    assert(batches.count == 1 || !batches.contains { $0.isWrite || $0.isRepeated })
    (preparation, self.batches, isShared) = (nil, batches, batches.count > 1)
    self.sentAt = sentAt
  }

  /// Whether only the commit has not been answered.
  var isAnswered: Bool {
    !isShared && error == nil && results.count == batches.first?.queries.count
  }

  /// Notes the result of one query.
  ///
  /// - Returns: the batch that this completes, and its results, if it need not wait for the Sync.
  mutating func note(_ result: Result<Rows, SharedDatabaseError>) -> (batch: Batch, results: [Rows])? {
    guard error == nil else { return nil }
    switch result {
    case .success(let rows): results.append(rows)
    case .failure(let error): self.error = error
    }
    guard isShared, error == nil, results.count == batches.first?.queries.count else { return nil }
    defer { results = [] }
    return (batches.removeFirst(), results)
  }

  func fail(_ error: SharedDatabaseError) {
    for batch in batches { batch.fail(error) }
  }

  /// - Parameter connection: its name.
  func lose(_ connection: String, _ message: String) {
    // The server undoes a transaction that has had an error, whether its end is seen or not.
    if let error, !isShared { return fail(error) }
    for batch in batches { batch.lose(connection, message) }
  }
}
