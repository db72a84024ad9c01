import SQL

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
  var error: SharedDatabaseError?

  init(_ purpose: Purpose, sentAt: Int64) {
    self.purpose = purpose
    self.sentAt = sentAt
  }
}
