/// Runs asynchronous work on a thread that may wait for it, such as that of a command. Work that blocks a thread goes to a
/// `WorkerPool`.
package enum Blocking {
  /// The priority of tasks that a thread without a task creates. Swift would give those of the main thread a higher one,
  /// for which Dispatch tries to raise the priority of its threads. Only root may, and each failure goes to syslog.
  package static let priority = TaskPriority.medium

  /// Blocks this thread, which must not be one of Swift's own, until `body` ends.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    let work = Task(priority: priority) { try await body() }
    Task(priority: priority) {
      let result = await work.result
      outcome.withLock { $0 = result }
      outcome.notifyAll()
    }
    return try outcome.wait { $0 }.get()
  }
}
