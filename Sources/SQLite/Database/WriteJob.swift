/// A write on its way to the writer thread, and how its caller is answered.
struct WriteJob: Sendable {
  /// What became of a job, known before it is known whether that gets onto the disk.
  struct Outcome {
    /// The job's own error.
    let error: (any Error)?
    /// Answers the caller: with that error, or with the result, or, if nothing of its transaction is on disk, with
    /// why.
    let answer: (_ transactionError: (any Error)?) -> Void
  }

  /// Runs the job in the transaction that the connection has open.
  let run: @Sendable (Connection) -> Outcome
  /// Answers the caller of a job that was not run.
  let refuse: @Sendable (any Error) -> Void

  init<T: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> T, _ continuation: CheckedContinuation<T, any Error>
  ) {
    run = { connection in
      let result = Result { try body(connection) }
      return switch result {
      case .success(let value):
        Outcome(error: nil) { transactionError in
          if let transactionError {
            continuation.resume(throwing: transactionError)
          } else {
            continuation.resume(returning: value)
          }
        }
      case .failure(let error):
        Outcome(error: error) { continuation.resume(throwing: $0 ?? error) }
      }
    }
    refuse = { continuation.resume(throwing: $0) }
  }
}
