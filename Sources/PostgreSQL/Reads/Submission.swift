import SQL

/// A query that changes nothing, and the callback for its rows, which is called once.
struct Read {
  let sql: StaticString
  let values: EncodedParameters
  let completion: (Result<Rows, SharedDatabaseError>) -> Void
  /// Whether it was sent before, and the server has refused it because of an error of its own that may be gone.
  var isRepeated = false
}

/// Statements that were sent up to a Sync and are not answered yet.
struct Submission {
  /// Those that are not answered yet; none where a statement is prepared.
  var reads: [Read] = []
  /// Whether a statement is prepared. If that fails, the read that needs it learns so.
  var isPreparation = false
  /// In monotonic milliseconds.
  let sentAt: Int64
  /// The first error, which is that of the first of the reads. What comes after it is of no use.
  var error: SharedDatabaseError?
}
