/// A write on its way to the writer thread, and how to resume its caller.
struct WriteJob: Sendable {
  /// The outcome of running a job, before its transaction is committed.
  struct Outcome {
    /// The job's own error, if it threw one.
    let error: (any Error)?
    /// Resumes the caller with the job's error or result, or with the error for which the transaction was not
    /// committed.
    let resume: (_ transactionError: (any Error)?) -> Void
  }

  /// Whether the job makes room, so that it may use the disk's reserve.
  let makesRoom: Bool
  /// Runs the job in the transaction that the connection has open. Must be called again if that was rolled back and the
  /// job is to run in another one.
  let run: @Sendable (Connection) -> Outcome
  /// Resumes the caller of a job that was not run.
  let refuse: @Sendable (any Error) -> Void

  init<T: Sendable>(
    makesRoom: Bool, _ body: @escaping @Sendable (Connection) throws -> T,
    _ continuation: CheckedContinuation<T, any Error>
  ) {
    self.makesRoom = makesRoom
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
