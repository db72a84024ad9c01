import SQL

/// Statements that were sent up to a Sync and are not answered yet.
struct Submission {
  /// The statement that it prepares; nil if it runs batches.
  let preparation: PreparedStatements.Key?
  /// Those that are not answered yet.
  private(set) var batches: [Batch]
  /// When it was sent, in monotonic milliseconds.
  let sentAt: Int64
  /// The results that have come for the first of the batches.
  private(set) var results: [Rows] = []
  /// The first error, which is that of the first of the batches. What comes behind it is of no use.
  private(set) var error: SharedDatabaseError?

  init(preparing key: PreparedStatements.Key, sentAt: Int64) {
    (preparation, batches) = (key, [])
    self.sentAt = sentAt
  }

  init(_ batches: [Batch], sentAt: Int64) {
    (preparation, self.batches) = (nil, batches)
    self.sentAt = sentAt
  }

  /// Notes the result of one query.
  ///
  /// - Returns: the batch that this completes, and its results.
  mutating func note(_ result: Result<Rows, SharedDatabaseError>) -> (batch: Batch, results: [Rows])? {
    guard error == nil else { return nil }
    switch result {
    case .success(let rows): results.append(rows)
    case .failure(let error): self.error = error
    }
    guard error == nil, results.count == batches.first?.queries.count else { return nil }
    defer { results = [] }
    return (batches.removeFirst(), results)
  }

  func fail(_ error: SharedDatabaseError) {
    for batch in batches { batch.fail(error) }
  }
}
